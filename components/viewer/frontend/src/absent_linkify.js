/** Stands in for `linkify-it`, which markdown-it brings along to make links of bare addresses: no text of a study has any link. */

export class LinkifyIt {}
