import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration, EnumTypeDeclaration } from "../types/value-type.ts";
import { isDeclaration } from "./declaration-kind.ts";
import { type DeclaredOperation, type DeclaredService, type DeclaredSet, entriesOf } from "./declared-service.ts";
import type { DeclaredTypes } from "./declared-types.ts";

/** Where the enumerations of a registration are published as texts. @see docs/reference/model.md, Enumerations as texts */
export interface EnumTexts {
  /** Whether those of the properties of an entity or complex type are. */
  readonly inType: (type: EntityTypeDeclaration | ComplexTypeDeclaration) => boolean;
  /** Whether those of the parameters and of the result of an operation are. @param set that of a bound operation */
  readonly inOperation: (set: DeclaredSet | undefined) => boolean;
}

/** Resolves the option `enumsAsStrings` of a registration and of its sets. */
export function enumTextsOf(service: DeclaredService, types: DeclaredTypes): EnumTexts {
  const { texts } = new EnumUses(service, types);
  return { inType: (type) => texts.types.has(type), inOperation: (set) => asTexts(service, set) };
}

/** Checks that each type is published in one form, and that no flags are texts: they have no single name. */
export function* checkEnumTexts(service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  const { texts, others } = new EnumUses(service, types);
  for (const type of texts.types) {
    if (!others.types.has(type) || !hasEnum(type)) continue;
    const message = `\`enumsAsStrings\` holds for one use of the type ${type.name}, but not for another.`;
    yield { set: type.name, message, fix: "Give it to every set that uses the type, or to the service." };
  }
  for (const { name, isFlags } of texts.enumerations) {
    if (!isFlags) continue;
    const message = `\`enumsAsStrings\` cannot publish the enumeration ${name}: its flags have no single name.`;
    yield {
      set: name,
      message,
      fix: "Remove `isFlags`, or give `enumsAsStrings` only to sets without the enumeration.",
    };
  }
}

type StructuredType = EntityTypeDeclaration | ComplexTypeDeclaration;

/** The types that are published in one form. */
class FormUses {
  readonly types = new Set<StructuredType>();
  readonly enumerations = new Set<EnumTypeDeclaration>();

  add(type: unknown): void {
    if (isDeclaration(type, "EnumTypeDeclaration")) this.enumerations.add(type);
    if (!isDeclaration(type, "EntityTypeDeclaration") && !isDeclaration(type, "ComplexTypeDeclaration")) return;
    if (this.types.has(type)) return;
    this.types.add(type);
    for (const each of memberTypes(type)) this.add(each);
  }
}

/** The types by the form in which a registration publishes their enumerations. */
class EnumUses {
  readonly texts = new FormUses();
  readonly others = new FormUses();

  constructor(service: DeclaredService, { entityTypes }: DeclaredTypes) {
    for (const set of service.sets) {
      const form = this.#formOf(asTexts(service, set));
      form.add(set.entityType);
      for (const operation of set.operations) addOperation(operation, form);
    }
    const form = this.#formOf(asTexts(service, undefined));
    for (const operation of service.operations) addOperation(operation, form);
    // No set says how these are published.
    for (const type of entityTypes) if (!this.texts.types.has(type) && !this.others.types.has(type)) form.add(type);
  }

  #formOf(isText: boolean): FormUses {
    return isText ? this.texts : this.others;
  }
}

/** An entity type that an operation returns has the form of its set. */
function addOperation({ parameters, options: { returns } }: DeclaredOperation, form: FormUses): void {
  for (const { declared } of parameters) form.add(declared.type);
  if (isDeclaration(returns, "Property")) form.add(returns.declared.type);
}

function asTexts({ options }: DeclaredService, set: DeclaredSet | undefined): boolean {
  return (set?.options["enumsAsStrings"] ?? options["enumsAsStrings"]) === true;
}

function memberTypes({ properties }: StructuredType): readonly unknown[] {
  return entriesOf(properties).flatMap(([, each]) =>
    isDeclaration(each, "Property") && !each.declared.ignored ? [each.declared.type] : [],
  );
}

function hasEnum(type: StructuredType): boolean {
  return memberTypes(type).some((each) => isDeclaration(each, "EnumTypeDeclaration"));
}
