// Written by `python -m components.viewer.payload_types` from services/reading/payloads.py and route_answers.py.

/** What is shown between two parts: what begins with the item, and why. */
export interface AheadPayload {
  title: string;
  about: string;
  place: string | null;
  heading: string;
  message: string;
}

export type AnyItemPayload = ItemPayload | OpinionsPayload | ScoringPayload | JudgedPayload;

/** What is shown beside the images, as far as the protocol releases it. */
export interface ContextPayload {
  vignette: string | null;
  history: Line[];
  facts: Line[];
}

/** The damage has been noted; the response is empty. */
export type DamageAnswer = Record<string, never>;

export interface Dependence {
  field: string;
  is: string[];
}

/** What is shown when nothing is left to do. */
export interface DonePayload {
  kind: "done";
  assignment: string | null;
  title: string;
  message: string;
  progress: ProgressPayload;
  summary: SummaryPayload;
  revisable: number | null;
  revision_rule: RevisionRule;
  next: NextPayload | null;
}

/** The draft is stored. */
export interface DraftAnswer {
  sequence: number;
  saved_at: string;
}

/** What the rater has filled in, as their browser sent it, with the number that orders drafts. */
export interface DraftPayload {
  sequence: number;
  answers: Record<string, any>;
}

/** The failure to show the images is stored. */
export interface FailureAnswer {
  saved_at: string;
  next: Payload | null;
}

/** What a rater learns from a practice verdict; `correct` is None if there is no single right answer.

`correct` is about the field that is compared; `fields` about those that `lines` name, and None if they name none. */
export interface FeedbackPayload {
  correct: boolean | null;
  fields: JudgedFieldsPayload | null;
  lines: Line[];
}

/** What may be shown below a field's label. */
export interface FieldHelp {
  help?: string;
}

/** What the protocol may specify about a field's values, and about when it is asked. */
export interface FieldLimits {
  unit?: string;
  minimum?: number;
  maximum?: number;
  depends_on?: Dependence;
  options_by?: OptionsByPayload;
  at_most?: number;
  undetermined?: boolean;
}

export type FieldType = "yes_no" | "choice" | "several" | "ordinal" | "number" | "text" | "ranked" | "point";

/** One field of a form. */
export interface FormFieldPayload {
  help?: string;
  unit?: string;
  minimum?: number;
  maximum?: number;
  depends_on?: Dependence;
  options_by?: OptionsByPayload;
  at_most?: number;
  undetermined?: boolean;
  key: string;
  type: FieldType;
  label: string;
  required: boolean;
  options: Option[];
}

/** The form of an item, with every option in place. */
export interface FormPayload {
  fields: FormFieldPayload[];
  not_assessable: Option[];
  comment: boolean;
  flags: Option[];
}

/** Which item it is, of which assignment and phase. */
export interface HeadPayload {
  kind: "item";
  assignment: string;
  key: string;
  phase: Phase;
  progress: ProgressPayload;
  heading: string;
  notice: string | null;
}

/** The panes of an item, and how they are displayed. */
export interface ImagesPayload {
  convention: "radiological" | "neurological";
  coregistered: boolean;
  layout: "side_by_side" | "switched";
  planes: Plane[];
  start: Place | null;
  panes: PanePayload[];
  presets: PresetPayload[];
}

/** An item that is read from its images: in practice, reading, a reviewer's first read and the preview.

Here and below, `own` is the answer given before more was shown; None if this is that first answer. */
export interface ItemPayload {
  kind: "item";
  assignment: string;
  key: string;
  phase: Phase;
  progress: ProgressPayload;
  heading: string;
  notice: string | null;
  turns: TurnPayload[];
  practice: PracticePayload | null;
  revision: RevisionPayload | null;
  revisable: number | null;
  revision_rule: RevisionRule;
  in_parts: boolean;
  ahead: AheadPayload | null;
  images: ImagesPayload;
  context: ContextPayload;
  prompt: string;
  text: Partial<Record<TextKind, TextSetting>>;
  reference: null;
  candidate: null;
  own: Line[] | null;
  opinions: null;
  draft: DraftPayload;
  prefetch: string[];
  form: FormPayload;
}

/** How many fields the feedback says are right, of how many of which it says whether they are. */
export interface JudgedFieldsPayload {
  right: number;
  judged: number;
}

/** An answer, or an item with its reference, judged beside its images; `question` is the phase's own. */
export interface JudgedPayload {
  kind: "item";
  assignment: string;
  key: string;
  phase: Phase;
  progress: ProgressPayload;
  heading: string;
  notice: string | null;
  turns: TurnPayload[];
  practice: PracticePayload | null;
  revision: RevisionPayload | null;
  revisable: number | null;
  revision_rule: RevisionRule;
  in_parts: boolean;
  ahead: AheadPayload | null;
  images: ImagesPayload;
  context: ContextPayload;
  question: string;
  prompt: string;
  text: Partial<Record<TextKind, TextSetting>>;
  reference: string[] | null;
  candidate: string | null;
  sides: Sides | null;
  own: Line[] | null;
  opinions: OpinionPayload[] | null;
  draft: DraftPayload;
  prefetch: string[];
  form: FormPayload;
}

export type Line = [string, string];

/** What comes next: how much of what, how long at the rater's own pace, and where. */
export interface NextPayload {
  title: string;
  about: string;
  place: string | null;
}

/** The options offered for one value of the field above. */
export interface OfferedPayload {
  value: string;
  options: string[];
}

/** One rater's answers on an item, without their name. */
export interface OpinionPayload {
  name: string;
  lines: Line[];
}

/** An item with others' opinions; for a reviewer who decides on it, also with their own first read. */
export interface OpinionsPayload {
  kind: "item";
  assignment: string;
  key: string;
  phase: Phase;
  progress: ProgressPayload;
  heading: string;
  notice: string | null;
  turns: TurnPayload[];
  practice: PracticePayload | null;
  revision: RevisionPayload | null;
  revisable: number | null;
  revision_rule: RevisionRule;
  in_parts: boolean;
  ahead: AheadPayload | null;
  images: ImagesPayload;
  context: ContextPayload;
  prompt: string;
  text: Partial<Record<TextKind, TextSetting>>;
  reference: null;
  candidate: null;
  own: Line[];
  opinions: OpinionPayload[];
  draft: DraftPayload;
  prefetch: string[];
  form: FormPayload;
}

/** One answer or reason that can be chosen; `meaning` is its definition. */
export interface Option {
  id: string;
  text: string;
  meaning?: string;
}

/** The field that decides which options are offered; for a value that is not listed there are none. */
export interface OptionsByPayload {
  field: string;
  offered: OfferedPayload[];
}

/** One mask that is drawn over the scans of a pane. */
export interface OverlayPayload {
  label: string;
  url: string;
  sha256: string | null;
  colour: string;
  style: OverlayStyle;
  opacity: number;
}

export type OverlayStyle = "outline" | "fill";

/** One pane with the scans that it offers. */
export interface PanePayload {
  title: string;
  badge: string | null;
  coregistered: boolean;
  missing: string[];
  volumes: VolumePayload[];
  opens_on: number;
  overlays: OverlayPayload[];
}

export type Payload = AnyItemPayload | DonePayload;

export type Phase = "practice" | "reading" | "scoring" | "review" | "opinions" | "preview";

export type Place = [number, number, number];

export type Plane = "axial" | "coronal" | "sagittal";

/** A rater's progress in their practice, and the share of right answers that ends it. */
export interface PracticePayload {
  done: number;
  total: number;
  pass_mark: number;
}

/** A selectable window: `window` in fractions of the default one, or `absolute` in intensities. */
export interface PresetPayload {
  label: string;
  window?: Window;
  absolute?: Window;
}

/** How many items are closed, and how many there are in all. */
export interface ProgressPayload {
  done: number;
  total: number;
}

/** Why a request was refused, with the field at fault, the newer draft's number, or what is on the desk instead.

With `instructions` the page shows the instructions of the part, which have to be acknowledged first. */
export interface RefusedAnswer {
  error: string;
  field?: string;
  sequence?: number;
  instructions?: boolean;
  next?: Payload | null;
}

/** The item that was reopened. */
export interface ReopenAnswer {
  payload: AnyItemPayload;
}

/** What is on the desk. */
export interface ResumeAnswer {
  payload: Payload;
}

/** The verdicts that may be revised, last item first. */
export interface RevisableAnswer {
  verdicts: RevisablePayload[];
}

/** One of a rater's own verdicts that may be revised. */
export interface RevisablePayload {
  assignment: string;
  label: string;
  prompt: string;
  text: Partial<Record<TextKind, TextSetting>>;
  receipt: string;
  saved_at: string;
  lines: Line[];
}

/** Which of their verdicts the rater is revising. */
export interface RevisionPayload {
  receipt: string;
  saved_at: string;
}

export type RevisionRule = "never" | "session" | "study";

/** The images of the item on the screen and what may be prefetched, at addresses that are currently valid. */
export interface ScansAnswer {
  images: ImagesPayload | null;
  prefetch: string[];
}

/** A candidate's answer or an item, judged from text without images; with the reference if it is shown.

Here and below, `sides` are two answers to compare, in place of the single one. */
export interface ScoringPayload {
  kind: "item";
  assignment: string;
  key: string;
  phase: Phase;
  progress: ProgressPayload;
  heading: string;
  notice: string | null;
  turns: TurnPayload[];
  practice: PracticePayload | null;
  revision: RevisionPayload | null;
  revisable: number | null;
  revision_rule: RevisionRule;
  in_parts: boolean;
  ahead: AheadPayload | null;
  images: null;
  context: ContextPayload;
  prompt: string;
  text: Partial<Record<TextKind, TextSetting>>;
  reference: string[] | null;
  candidate: string | null;
  sides: Sides | null;
  own: Line[] | null;
  opinions: OpinionPayload[] | null;
  draft: DraftPayload;
  prefetch: string[];
  form: FormPayload;
}

/** The display is stored. */
export interface ShownAnswer {
  shown_at: string;
}

export type Sides = [string, string];

/** What surrounds an item; `revisable` is None if the study allows no revisions in the queue.

`in_parts` is true if the queue is one of several parts that the member works through. */
export interface StandingPayload {
  turns: TurnPayload[];
  practice: PracticePayload | null;
  revision: RevisionPayload | null;
  revisable: number | null;
  revision_rule: RevisionRule;
  in_parts: boolean;
  ahead: AheadPayload | null;
}

/** The rater's work in this login session: counts, their unit, times in milliseconds, and since when. */
export interface SummaryPayload {
  unit: SummaryUnit;
  items: number;
  active_ms: number;
  median_ms: number | null;
  since: string | null;
}

export type SummaryUnit = "scans" | "items" | "answers";

export type TextKind = "prompt" | "vignette" | "question" | "reference" | "candidate" | "explanation";

export type TextSetting = "plain" | "markdown";

/** An earlier turn of a conversation: what was asked, and what this member answered. */
export interface TurnPayload {
  prompt: string;
  lines: Line[];
}

/** The verdict is stored. `next` is None if the next payload could not be built. */
export interface VerdictAnswer {
  receipt: string;
  saved_at: string;
  next: Payload | null;
  feedback?: FeedbackPayload;
}

/** One scan: its address, the expected hash of its content, and its window. */
export interface VolumePayload {
  label: string;
  url: string;
  sha256: string | null;
  window: Window;
  range: Window;
  placed: boolean;
}

export type Window = [number, number];
