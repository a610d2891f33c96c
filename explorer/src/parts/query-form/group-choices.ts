import { isDate, isInTime } from "../../format/zone.ts";
import type { Model } from "../../model/model.ts";
import { aliasOf, type ApplyForm, freeName, METHOD_NAMES, titleOf, type Total } from "../../query/apply-text.ts";
import { dateGroup, UNITS } from "../../query/date-groups.ts";
import { entityGroups, totalMethods } from "../../query/groupable.ts";
import { comparable, type PathProperty } from "../../query/operators.ts";
import type { QueryPlace } from "./filter-paths.ts";

/** Something that a reader can add to the groups and totals, or remove. */
export interface GroupChoice {
  /** The text of its button. */
  readonly text: string;
  /** Its name where the button is alone. */
  readonly title: string;
  readonly isChosen: boolean;
  /** The form with the choice, or without it. */
  readonly next: ApplyForm;
}

/** The choices of one property, or of one relation. */
export interface ChoiceRow {
  readonly name: string;
  readonly choices: readonly GroupChoice[];
}

/** Returns the groups that a set permits: by properties, by periods of dates, and by related entities with their labels. */
export function groupRows({ type, set }: QueryPlace, form: ApplyForm): readonly ChoiceRow[] {
  const isGroupable = (path: string): boolean => set?.abilities.groupable(path) ?? true;
  const canCompute = set?.abilities.applies("compute") === true;
  const relations = [...type.navigations.values()].filter((each) => !each.isCollection && isGroupable(each.name));
  return [
    ...relations.map((navigation) => {
      const { keys, labels } = entityGroups(navigation);
      const { name } = navigation;
      return { name, choices: [pathsChoice(form, name, [...keys.filter(isGroupable), ...labels])] };
    }),
    ...comparable(type)
      .filter(({ path }) => isGroupable(path))
      .map(({ path, property }) => {
        const periods = canCompute && isInTime(property.type) ? periodChoices(type, form, { path, property }) : [];
        return { name: path, choices: periods.length > 0 ? periods : [pathsChoice(form, path, [path])] };
      }),
  ];
}

function pathsChoice(form: ApplyForm, name: string, paths: readonly string[]): GroupChoice {
  const isChosen = paths.every((path) => form.groupBy.includes(path));
  const others = form.groupBy.filter((path) => !paths.includes(path));
  const groupBy = isChosen ? others : [...others, ...paths];
  return { text: "Each", title: `Each ${name}`, isChosen, next: { ...form, groupBy } };
}

type Owner = QueryPlace["type"];

function periodChoices(owner: Owner, form: ApplyForm, { path, property }: PathProperty): readonly GroupChoice[] {
  const { dates = [] } = form;
  return UNITS.map((unit) => {
    const text = unit.charAt(0).toUpperCase() + unit.slice(1);
    const names = { text, title: `${text} of ${path}` };
    if (unit === "day" && isDate(property.type)) return { ...pathsChoice(form, path, [path]), ...names };
    const others = dates.filter((each) => each.path !== path || each.unit !== unit);
    const isChosen = others.length < dates.length;
    const added = dateGroup(path, property.type, unit, freeName(path + text, takenNames(owner, form)));
    return { ...names, isChosen, next: { ...form, dates: isChosen ? others : [...dates, added] } };
  });
}

/** Returns the totals that a set permits, of its own properties and of the numbers of related entities. */
export function totalRows({ type, set }: QueryPlace, form: ApplyForm, model: Model): readonly ChoiceRow[] {
  const rowOf = (owner: QueryPlace, prefix = "") => {
    return (of: PathProperty): ChoiceRow => {
      const name = prefix + of.path;
      const methods = totalMethods(owner.type, of, owner.set?.abilities);
      return { name, choices: methods.map((method) => totalChoice(type, form, method, name)) };
    };
  };
  // The service states the totals of related entities with the steps that join them.
  const many = set?.abilities.applies("join") === true ? [...type.navigations.values()] : [];
  const related = many.flatMap(({ name, target, isCollection }) => {
    const to = { type: target, set: model.sets.get(set?.bindings.get(name) ?? "") ?? null };
    return isCollection ? comparable(target).map(rowOf(to, `${name}/`)) : [];
  });
  return [
    { name: "Rows", choices: set?.abilities.canCount === false ? [] : [totalChoice(type, form, "count", null)] },
    ...comparable(type).map(rowOf({ type, set })),
    ...related.filter(({ choices }) => choices.length > 2),
  ].filter(({ choices }) => choices.length > 0);
}

function totalChoice(owner: Owner, form: ApplyForm, method: Total["method"], path: string | null): GroupChoice {
  const others = form.totals.filter((each) => each.method !== method || each.path !== path);
  const isChosen = others.length < form.totals.length;
  const total = { method, path, alias: aliasOf(method, path, takenNames(owner, form)) };
  const text = method === "count" ? "Number" : (METHOD_NAMES.get(method) ?? method);
  const totals = isChosen ? others : [...others, total];
  return { text, title: titleOf(method, path), isChosen, next: { ...form, totals } };
}

function takenNames(owner: Owner, { dates = [], groupBy, totals }: ApplyForm): readonly string[] {
  const made = [...dates, ...totals].map(({ alias }) => alias);
  return [...owner.properties.keys(), ...owner.navigations.keys(), ...groupBy, ...made];
}
