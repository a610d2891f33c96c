import { didYouMean } from "../problem.ts";

/** The values that a setting of `odatakit.json` may have. */
export type SettingShape =
  | { readonly kind: "boolean" | "number" | "scalar" | "string" }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  | { readonly kind: "list"; readonly items: SettingShape }
  | { readonly kind: "record"; readonly values: SettingShape }
  | { readonly kind: "object"; readonly members: Readonly<Record<string, DescribedShape>>; readonly needsAll?: boolean }
  | { readonly kind: "either"; readonly shapes: readonly SettingShape[] };

/** A setting with a line that explains it. */
export interface DescribedShape {
  readonly shape: SettingShape;
  readonly summary: string;
}

/** A value that a setting cannot have. */
interface WrongValue {
  /** The path of the value, such as `sets.Orders.max-top`. */
  readonly path: string;
  /** The problem, such as `has the wrong type.` */
  readonly message: string;
  /** The correction. */
  readonly fix: string;
}

/** Returns the problems of the value of a setting, and of the values within it. */
export function checkShape(value: unknown, shape: SettingShape, path: string): readonly WrongValue[] {
  if (shape.kind === "either") {
    const fitting = shape.shapes.find((each) => isOfKind(value, each));
    return fitting === undefined ? [wrongType(path, shape)] : checkShape(value, fitting, path);
  }
  if (!isOfKind(value, shape)) return [wrongType(path, shape)];
  if (shape.kind === "list") {
    const items = value as readonly unknown[];
    return items.flatMap((item, place) => checkShape(item, shape.items, `${path}[${String(place)}]`));
  }
  if (shape.kind === "record") {
    return Object.entries(value as object).flatMap(([name, member]) =>
      checkShape(member, shape.values, `${path}.${name}`),
    );
  }
  return shape.kind === "object" ? checkMembers(value as Readonly<Record<string, unknown>>, shape, path) : [];
}

function checkMembers(
  value: Readonly<Record<string, unknown>>,
  { members, needsAll }: Extract<SettingShape, { readonly kind: "object" }>,
  path: string,
): readonly WrongValue[] {
  const missing = needsAll === true ? Object.keys(members).filter((name) => !Object.hasOwn(value, name)) : [];
  return [
    ...missing.map((name) => ({ path, message: `has no ${JSON.stringify(name)}.`, fix: "Add it." })),
    ...Object.entries(value).flatMap(([name, member]) => {
      const known = Object.hasOwn(members, name) ? members[name] : undefined;
      if (known !== undefined) return checkShape(member, known.shape, `${path}.${name}`);
      const fix = didYouMean(name, Object.keys(members), "Remove it.");
      return [{ path: `${path}.${name}`, message: "is unknown.", fix }];
    }),
  ];
}

function wrongType(path: string, shape: SettingShape): WrongValue {
  return { path, message: "has the wrong type.", fix: `Write ${describeShape(shape)}.` };
}

function isOfKind(value: unknown, shape: SettingShape): boolean {
  switch (shape.kind) {
    case "boolean":
    case "string":
      return typeof value === shape.kind;
    case "number":
      return Number.isSafeInteger(value) && (value as number) >= 1;
    case "scalar":
      return ["boolean", "number", "string"].includes(typeof value);
    case "choice":
      return shape.values.includes(value as string);
    case "list":
      return Array.isArray(value);
    case "record":
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "either":
      return shape.shapes.some((each) => isOfKind(value, each));
  }
}

/** Returns the words for the values of a shape, such as `a string or an array of strings`. */
function describeShape(shape: SettingShape, isPlural = false): string {
  const words = (one: string, many: string): string => (isPlural ? many : one);
  switch (shape.kind) {
    case "boolean":
      return "true or false";
    case "number":
      return words("a whole number from 1", "whole numbers from 1");
    case "scalar":
    case "string":
      return words("a string", "strings");
    case "choice":
      return shape.values.map((value) => JSON.stringify(value)).join(" or ");
    case "list":
      return `${words("an array", "arrays")} of ${describeShape(shape.items, true)}`;
    case "record":
    case "object":
      return words("an object", "objects");
    case "either":
      return shape.shapes.map((each) => describeShape(each, isPlural)).join(" or ");
  }
}
