import type { View } from "./view.ts";

/**
 * Returns the URL of what a view shows, relative to the root of the service: the path, the system query options and the
 * aliases, without the choices of the page. The path is percent-encoded already where it must be, as within a key.
 */
export function resourceUrl({ path, options }: Pick<View, "path" | "options">): string {
  const system = [...options].filter(([name, value]) => /^[$@]/u.test(name) && value !== "");
  const query = system.map(([name, value]) => `${name}=${encodeOption(value)}`).join("&");
  return encodePath(path) + (query === "" ? "" : `?${query}`);
}

/** Encodes the text of a query option. Characters that a query permits stay readable. */
export function encodeOption(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:24|2C|2F|3A|3B|3D|40|5B|5D)/gu, decodeURIComponent);
}

/** Encodes what a path does not permit, and leaves what is encoded. */
export function encodePath(path: string): string {
  return encodeURI(path)
    .replaceAll(/%25(?=[\dA-F]{2})/giu, "%")
    .replaceAll(/[?#]/gu, encodeURIComponent);
}
