/** The screens of the page. */
const SCREENS = ["home", "grid", "record", "relations", "query", "chart", "cost", "edit", "operation"] as const;

/** The name of a screen, as the fragment states it. */
export type ScreenName = (typeof SCREENS)[number];

/** What the page shows. The fragment of its URL is the whole of it, so that every view is a link. */
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
  return viewOf(view.screen, view.path, [...view.options, ...Object.entries(changes)].reduce(change, new Map()));
}

function change(options: Map<string, string>, [name, value]: readonly [string, string | null]): Map<string, string> {
  if (value === null) options.delete(name);
  else options.set(name, value);
  return options;
}

/**
 * Returns the view that a fragment describes, such as `#/grid/Orders?$filter=Total gt 5`. A fragment of nothing that the page
 * knows is the home.
 */
export function parseFragment(fragment: string): View {
  const [, name = "", path = "", query = ""] = /^#?\/?([^/?]*)\/?([^?]*)\??(.*)$/su.exec(fragment) ?? [];
  const screen = SCREENS.find((each) => each === name);
  if (screen === undefined) return viewOf("home");
  const pairs = query.split("&").filter((pair) => pair !== "");
  return viewOf(
    screen,
    decode(path),
    pairs.map((pair) => {
      const end = pair.indexOf("=");
      return end < 0 ? [decode(pair), ""] : [decode(pair.slice(0, end)), decode(pair.slice(end + 1))];
    }),
  );
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

/** A text that is not validly encoded stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
