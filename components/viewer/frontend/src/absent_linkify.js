/** Stands in for `linkify-it`, which markdown-it depends on to turn bare addresses into links: no text of a study has links. */

export class LinkifyIt {}
