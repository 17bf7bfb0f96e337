// Anchors of headings as GitHub makes them: a link to a heading works there and here.

/** A second heading of the same words gets `-1` from the caller. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, "")
    .replaceAll(/\s/g, "-");
}
