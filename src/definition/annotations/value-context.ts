import type { AnnotationConstant, AnnotationConstantType, AnnotationExpression } from "../../edm/annotation.ts";
import { describe } from "../option-table.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import type { AnnotationSite } from "./annotation-sites.ts";
import type { PathTargets } from "./bind-annotation-path.ts";

/** The place of a value in an annotation, and where its faults go. */
export interface ValueContext {
  readonly targets: PathTargets;
  readonly site: AnnotationSite;
  /** The term, and the properties and positions that lead to the value. */
  readonly where: string;
  /** The entity type of the value list around the value: its `ValueListProperty` names a property of that type. */
  readonly list: EntityTypeDeclaration | undefined;
  /** Records a fault with its place in front. */
  readonly collect: (message: string, fix: string) => void;
  /** Records a fault: the defect of the value at `where`, and its correction. */
  readonly report: (problem: string, fix: string) => void;
  /** Records that the form of a value is wrong. @returns a value in its place */
  readonly wrong: (value: unknown, wanted: string) => AnnotationExpression;
}

/** Makes the context of an annotation. @param report receives the problem with the place in front */
export function valueContext(
  targets: PathTargets,
  site: AnnotationSite,
  where: string,
  collect: (message: string, fix: string) => void,
  list: EntityTypeDeclaration | undefined,
): ValueContext {
  const report = (problem: string, fix: string): void => collect(`\`${where}\` of ${site.what} ${problem}`, fix);
  const wrong = (value: unknown, wanted: string): AnnotationExpression => {
    report(`cannot be ${describe(value)}.`, `Give ${wanted}.`);
    return { kind: "Null", annotations: [] };
  };
  return { targets, site, where, list, collect, report, wrong };
}

/** Returns the context of a part of a value. */
export function within({ targets, site, where, list, collect }: ValueContext, part: string): ValueContext {
  return valueContext(targets, site, `${where}/${part}`, collect, list);
}

/** Makes a constant. */
export function constant(type: AnnotationConstantType, text: string): AnnotationConstant {
  return { kind: "Constant", type, text };
}
