import { readApply, searchOf, writeApply } from "./apply-text.ts";

/** What chooses the rows of a query, be it options or the first steps of `$apply`. */
export interface Limits {
  readonly search: string;
  readonly filter: string;
  /** The steps of `$apply` after those of search and filter; empty without groups. */
  readonly steps: string;
}

type Options = ReadonlyMap<string, string>;

/** Reads what chooses the rows of a query. */
export function limitsOf(options: Options): Limits {
  const apply = options.get("$apply") ?? "";
  if (apply === "") return { search: options.get("$search") ?? "", filter: options.get("$filter") ?? "", steps: "" };
  const [search, rest] = searchOf(apply);
  const form = readApply(rest);
  const isRead = form !== null && rest !== "";
  return { search, filter: isRead ? form.filter : "", steps: isRead ? writeApply({ ...form, filter: "" }) : rest };
}

/** Returns options with other limits. Groups have the limits of their rows as the first steps. */
export function withLimits(options: Options, changes: Partial<Omit<Limits, "steps">>): Options {
  const { search, filter, steps } = { ...limitsOf(options), ...changes };
  const isGrouped = (options.get("$apply") ?? "") !== "";
  if (!isGrouped) return new Map([...options, ["$search", search], ["$filter", filter]]);
  const all = [...stepsOf({ search, filter }), steps].filter((step) => step !== "");
  return new Map([...options, ["$apply", all.join("/")]]);
}

/** Writes the options that choose the rows of a query as steps of `$apply`, the first rows included. */
export function rowSteps(options: Options): readonly string[] {
  const limits = isLimited(options) ? ["orderby", "skip", "top"] : [];
  return ["search", "compute", "filter", ...limits].flatMap((name) => {
    const text = options.get(`$${name}`) ?? "";
    return text.trim() === "" ? [] : [`${name}(${text})`];
  });
}

/** Returns whether a query has only some of the rows that meet its conditions: no filter finds the same. */
export function isLimited(options: Options): boolean {
  return ["$top", "$skip"].some((name) => (options.get(name) ?? "") !== "");
}

/** Writes limits as the first steps of `$apply`. */
export function stepsOf({ search, filter }: Pick<Limits, "search" | "filter">): readonly string[] {
  return [search === "" ? [] : `search(${search})`, filter === "" ? [] : `filter(${filter})`].flat();
}
