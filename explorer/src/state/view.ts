import { toRequestTarget } from "../query/option-text.ts";

/** The screens of the page. */
const SCREENS = ["home", "find", "grid", "record", "relations", "query", "chart", "cost", "edit", "operation"] as const;

/** The name of a screen, as the fragment states it. */
export type ScreenName = (typeof SCREENS)[number];

/** The content of the page. The fragment of its URL is the whole of it, so that every view is a link. */
export interface View {
  readonly screen: ScreenName;
  /** A resource path below the root of the service, such as `Orders` or `Customers('A')/Orders`; of `operation` its name. */
  readonly path: string;
  /** System query options, which begin with `$`, and choices of the page. */
  readonly options: ReadonlyMap<string, string>;
}

/** Makes a view. Options without a value are left out. */
export function viewOf(screen: ScreenName, path = "", options: Iterable<readonly [string, string | null]> = []): View {
  const stated = [...options].filter((option): option is readonly [string, string] => option[1] !== null);
  return { screen, path, options: new Map(stated) };
}

/** Returns a view with some options changed; null removes an option. */
export function withOptions(view: View, changes: Readonly<Record<string, string | null>>): View {
  // A map has the last value of a name, at the place of the first.
  return viewOf(view.screen, view.path, new Map<string, string | null>([...view.options, ...Object.entries(changes)]));
}

/** Returns the view of a fragment, such as `#/grid/Orders?$filter=Total gt 5`. An unknown one is that of the home. */
export function parseFragment(fragment: string): View {
  const [, name = "", path = "", query = ""] = /^#?\/?([^/?]*)\/?([^?]*)\??(.*)$/su.exec(fragment) ?? [];
  const screen = SCREENS.find((each) => each === name);
  if (screen === undefined) return viewOf("home");
  return viewOf(screen, decode(path), new URLSearchParams(query.replaceAll("+", "%2B")));
}

/** Returns the fragment of a view: readable, with only those characters encoded that a fragment does not permit. */
export function hrefOf({ screen, path, options }: View): string {
  const query = Array.from(options, ([name, value]) => `${encode(name, /[%&=]/gu)}=${encode(value, /[%&]/gu)}`);
  const place = path === "" ? "" : `/${encode(path, /[%?]/gu)}`;
  return `#/${screen}${place}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

/** Spaces, controls, and characters that end a URL in running text are encoded, too. */
function encode(text: string, reserved: RegExp): string {
  return text.replaceAll(reserved, encodeURIComponent).replaceAll(/[\s\p{Cc}<>"`#\\^{|}]/gu, encodeURIComponent);
}

/** Decodes a text. A text with a broken escape stays as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Splits a resource path at the slashes between its segments, but not within the quotes of a key. */
export function pathSegments(path: string): readonly string[] {
  return path.match(/(?:[^/']|'[^']*(?:'|$))+/gu) ?? [];
}

/** Returns the options that are sent to the service: system query options and aliases. */
export function sentOptions(options: View["options"]): View["options"] {
  return new Map([...options].filter(([name, value]) => /^[$@]/u.test(name) && value !== ""));
}

/** Returns the URL of a view, below the root of the service: its path and the options that are sent. */
export function resourceUrl({ path, options }: Pick<View, "path" | "options">): string {
  return toRequestTarget({ path, options: sentOptions(options) });
}

/** Encodes the characters that a path does not permit, and leaves escapes as they are. */
export function encodePath(path: string): string {
  return toRequestTarget({ path, options: new Map() });
}
