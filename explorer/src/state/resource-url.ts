import { toRequestTarget } from "../query/option-text.ts";
import type { View } from "./view.ts";

/**
 * Returns the URL of what a view shows, relative to the root of the service: the path, the system query options and the
 * aliases, without the choices of the page. The path is percent-encoded already where it must be, as within a key.
 */
export function resourceUrl({ path, options }: Pick<View, "path" | "options">): string {
  return toRequestTarget({
    path,
    options: new Map([...options].filter(([name, value]) => /^[$@]/u.test(name) && value !== "")),
  });
}

/** Encodes what a path does not permit, and leaves what is encoded. */
export function encodePath(path: string): string {
  return toRequestTarget({ path, options: new Map() });
}
