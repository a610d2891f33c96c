import type { AnyProperty, PropertyDeclaration, PropertyTrait } from "./value-type.ts";

/**
 * A property under declaration: frozen, and every modifier returns another one.
 * `Value` is the canonical value that handlers get, `Input` what they may return, `Change` what a delta says of it.
 * @see docs/reference/model.md
 */
export class Property<
  Value,
  Input = Value,
  Trait extends PropertyTrait = never,
  Change = Value,
> implements AnyProperty {
  readonly kind = "Property";
  /** For the compiler only: there is no such member at run time. */
  declare readonly _types: {
    readonly value: Value;
    readonly input: Input;
    readonly trait: Trait;
    readonly change: Change;
  };
  readonly declared: PropertyDeclaration;

  constructor(declared: PropertyDeclaration) {
    this.declared = Object.freeze(declared);
    Object.freeze(this);
  }

  /** The value may be null. Items of a collection: `edm.collection(edm.string().nullable())`. */
  nullable(): Property<Value, Input, Trait | "nullable", Change> {
    return new Property({ ...this.declared, nullable: true });
  }

  /** The property is the key, or part of it. */
  key(): Property<Value, Input, Trait | "key", Change> {
    return new Property({ ...this.declared, key: true });
  }

  /** The property never crosses the wire: no route, no place in $metadata, unknown to every query option. */
  ignored(): Property<Value, Input, Trait | "ignored", Change> {
    return new Property({ ...this.declared, ignored: true });
  }

  /** The server sets the value: it is ignored in bodies. */
  computed(): Property<Value, Input, Trait | "computed", Change> {
    return new Property({ ...this.declared, computed: true });
  }

  /** The value cannot change after the entity is created. */
  immutable(): Property<Value, Input, Trait, Change> {
    return new Property({ ...this.declared, immutable: true });
  }

  /** The value where a body has none; checked at startup. */
  default(value: Input): Property<Value, Input, Trait | "optional", Change> {
    return new Property({ ...this.declared, defaultValue: Object.freeze({ value }) });
  }

  /** The name on the wire, whatever the naming policy says. */
  json(name: string): Property<Value, Input, Trait, Change> {
    return new Property({ ...this.declared, json: name });
  }

  /** A description for $metadata and generated API descriptions. */
  describe(text: string): Property<Value, Input, Trait, Change> {
    return new Property({ ...this.declared, description: text });
  }
}
