import { isObject } from "../option-table.ts";
import type { Annotations } from "./annotations.ts";
import type { AnyProperty, PropertyDeclaration, PropertyTrait } from "./value-type.ts";

/**
 * A declared property. It is frozen: every modifier returns a new property.
 * `Value` is the canonical value, `Input` the values that handlers may return, `Change` the value in a delta.
 * @see docs/reference/model.md
 */
export class Property<
  Value,
  Input = Value,
  Trait extends PropertyTrait = never,
  Change = Value,
> implements AnyProperty {
  readonly kind = "Property";
  /** For the compiler only: absent at run time. */
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

  /** Allows null. For items of a collection, write `edm.collection(edm.string().nullable())`. */
  nullable(): Property<Value, Input, Trait | "nullable", Change> {
    return new Property({ ...this.declared, nullable: true });
  }

  /** Makes the property the key, or a part of the key. */
  key(): Property<Value, Input, Trait | "key", Change> {
    return new Property({ ...this.declared, key: true });
  }

  /** Hides the property from clients: it has no routes, is not in `$metadata`, and no query option can use it. */
  ignored(): Property<Value, Input, Trait | "ignored", Change> {
    return new Property({ ...this.declared, ignored: true });
  }

  /** Lets the server set the value: the service ignores it in request bodies. */
  computed(): Property<Value, Input, Trait | "computed", Change> {
    return new Property({ ...this.declared, computed: true });
  }

  /** Forbids changes of the value after the entity is created. */
  immutable(): Property<Value, Input, Trait, Change> {
    return new Property({ ...this.declared, immutable: true });
  }

  /** Sets the value for request bodies without the property; checked at startup. */
  default(value: Input): Property<Value, Input, Trait | "optional", Change> {
    return new Property({ ...this.declared, defaultValue: Object.freeze({ value }) });
  }

  /**
   * Lets the database supply the value of new entities whose bodies omit the property: its column has an expression as
   * default, such as `now()`. Clients may send another value. A literal is `.default(value)`.
   * @see docs/reference/model.md
   */
  databaseDefault(): Property<Value, Input, Trait | "databaseDefault", Change> {
    return new Property({ ...this.declared, databaseDefault: true });
  }

  /** Sets the wire name, instead of the name by the naming policy. */
  json(name: string): Property<Value, Input, Trait, Change> {
    return new Property({ ...this.declared, json: name });
  }

  /** Sets the description in `$metadata` and generated API descriptions. */
  describe(text: string): Property<Value, Input, Trait, Change> {
    return new Property({ ...this.declared, description: text });
  }

  /**
   * Adds annotations in `$metadata`, such as a label or a value help. A parameter of an operation can have them, too.
   * @see docs/reference/annotations.md
   */
  annotate(annotations: Annotations): Property<Value, Input, Trait, Change> {
    // The startup check rejects a value that is not an object.
    const known: object | undefined = isObject(annotations) ? this.declared.annotations : undefined;
    return new Property({
      ...this.declared,
      annotations: isObject(annotations) ? { ...known, ...annotations } : annotations,
    });
  }
}
