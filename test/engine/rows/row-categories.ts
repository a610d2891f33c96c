import { authenticated, role } from "odatakit";
import { expect } from "vitest";
import { GRAPH } from "../executors/relations-graph.ts";
import { oneOf } from "./row-pairs.ts";
import type { RowRequest } from "./row-requests.ts";
import { SETS, type SetName, type UserName } from "./row-rules.ts";
import { describeRequest, statusOf, type Answers } from "./row-runs.ts";

/** Generates rules of categories for all sets, with an independent oracle of their decisions. */

export const ACTS = ["read", "create", "update"] as const;
export type Act = (typeof ACTS)[number];

/** The requirement of a category: nothing, any user, or a role. */
type Required = "nothing" | "user" | "a" | "b";

/** The rules of one service, and the roles of its user. */
export interface CategoryRules {
  readonly required: Readonly<Record<SetName, Readonly<Record<Act, Required>>>>;
  /** The navigations with `authorization: "parent"`, such as `books.author`. */
  readonly exceptions: ReadonlySet<string>;
  readonly roles: readonly string[];
}

/** A navigation of the model, and the set that it leads to. */
interface Leading {
  readonly from: SetName;
  readonly field: string;
  readonly target: SetName;
}

const fieldOf = (title: string): string => title.slice(0, 1).toLowerCase() + title.slice(1);
const setOf = (title: string): SetName | undefined => SETS.find((set) => set === title.toLowerCase());

const NAVIGATIONS: readonly Leading[] = Object.entries(GRAPH).flatMap(([title, { toOne, toMany }]) =>
  Object.entries({ ...toOne, ...toMany, ...(title === "Authors" ? { Latest: "Books" } : {}) }).flatMap(
    ([name, targetTitle]) => {
      const [from, target] = [setOf(title), setOf(targetTitle)];
      return from === undefined || target === undefined ? [] : [{ from, field: fieldOf(name), target }];
    },
  ),
);

/** The share of the rounds whose services have rules of categories. */
const SHARE = 0.4;

/** Makes the rules of a round, if it has any. The user mostly has the required roles. */
export function categoryRules(random: () => number): CategoryRules | undefined {
  if (random() >= SHARE) return undefined;
  const one = (): Required =>
    oneOf(["nothing", "nothing", "nothing", "nothing", "user", "user", "a", "a", "b"], random);
  const ofSet = (): Readonly<Record<Act, Required>> => ({ read: one(), create: one(), update: one() });
  const roles = (["a", "b"] as const).filter((name) => random() < (name === "a" ? 0.9 : 0.6));
  return {
    required: {
      publishers: ofSet(),
      authors: ofSet(),
      books: ofSet(),
      chapters: ofSet(),
      notes: ofSet(),
      tags: ofSet(),
    },
    exceptions: new Set(NAVIGATIONS.filter(() => random() < 0.1).map(({ from, field }) => `${from}.${field}`)),
    roles,
  };
}

/** The rules of a set as it is declared. */
export function categoriesOf(set: SetName, rules: CategoryRules | undefined): object {
  if (rules === undefined) return {};
  const declared = ACTS.flatMap((act) => {
    const required = rules.required[set][act];
    if (required === "nothing") return [];
    return [[act, required === "user" ? authenticated() : role(required)] as const];
  });
  return Object.fromEntries(declared);
}

/** Returns how a navigation declares the rules of its target set. */
export function exceptionOf(set: SetName, field: string, rules: CategoryRules | undefined): object {
  return rules?.exceptions.has(`${set}.${field}`) === true ? { authorization: "parent" } : {};
}

/** The oracle: whether the rules of a set refuse a request of the user. */
export function isRefused(set: SetName, act: Act, user: UserName, rules: CategoryRules | undefined): boolean {
  const required = rules?.required[set][act] ?? "nothing";
  if (required === "nothing") return false;
  if (user === "anonymous") return true;
  return required !== "user" && rules?.roles.includes(required) !== true;
}

/** Returns the sets that a user cannot use at all: the rules refuse it, and no navigation to the set skips them. */
export function closedSets(act: Act, user: UserName, rules: CategoryRules | undefined): readonly SetName[] {
  const excepted = NAVIGATIONS.filter(({ from, field }) => rules?.exceptions.has(`${from}.${field}`) === true);
  return SETS.filter((set) => isRefused(set, act, user, rules) && excepted.every(({ target }) => target !== set));
}

/** The user, the rules, and the request. */
interface Asking {
  readonly user: UserName;
  readonly categories: CategoryRules | undefined;
  readonly place: string;
}

const ACTIONS: Readonly<Record<string, Act>> = {
  read: "read",
  "create entities of": "create",
  "change entities of": "update",
};
const REFUSAL =
  /(?:may not|is required to) (read|create entities of|change entities of) (\w+)(?:, the (?:source|target) of '(\w+)'(?: in (\w+))?)?/u;

/**
 * Whether the rules of categories refused a request. Each refusal must be right: the set that the message names is
 * closed to the user, the navigation skips no rules, and the request names it.
 */
export function expectRefusal(answers: Answers, request: RowRequest, { user, categories, place }: Asking): boolean {
  const [, action = "", title = "", navigation, owner] = REFUSAL.exec(answers.at(-1) ?? "") ?? [];
  const [act, set] = [ACTIONS[action], setOf(title)];
  if (act === undefined || set === undefined) return false;
  const said = `${place}, ${user}\n${describeRequest(request)}\n${answers.at(-1) ?? ""}`;
  expect(statusOf(answers), said).toBe(user === "anonymous" ? 401 : 403);
  expect(isRefused(set, act, user, categories), said).toBe(true);
  expect(describeRequest(request), said).toMatch(new RegExp(`\\b${navigation ?? title}\\b`, "u"));
  if (navigation === undefined || owner === undefined) return true;
  expect(categories?.exceptions.has(`${owner.toLowerCase()}.${fieldOf(navigation)}`), said).toBe(false);
  return true;
}
