/** Pictures that a browser shows without running anything in them, by their first bytes in base64url. */
const PICTURES: Readonly<Record<string, RegExp>> = {
  png: /^iVBORw/u,
  jpeg: /^_9j_/u,
  gif: /^R0lGOD/u,
  // With its second name, because sounds have the same beginning.
  webp: /^UklGR.{7}RUJQ/u,
};

/** Returns the type of the picture that bytes are, such as `png`; null if they are none. */
export function pictureType(base64url: string): string | null {
  return Object.keys(PICTURES).find((type) => PICTURES[type]?.test(base64url)) ?? null;
}
