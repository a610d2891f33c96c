import { describe, expect, test } from "vitest";
import { PRIMITIVE_TYPES } from "../../src/edm/primitive-type.ts";
import { InvalidValueError } from "../../src/edm/value-codec.ts";
import { valueCodec } from "../../src/edm/value-codecs.ts";
import { compileConversion, compileFieldReader } from "../../src/payload/property-reader.ts";

describe("the conversion of a value", () => {
  const codec = valueCodec(PRIMITIVE_TYPES["Edm.Int32"]);

  test("keeps the reason of the codec as its cause", () => {
    let thrown: unknown;
    try {
      compileConversion(codec, "Shop.Thing/Id")("x");
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(Error);
    expect(thrown).not.toBeInstanceOf(InvalidValueError);
    expect((thrown as Error).cause).toBeInstanceOf(InvalidValueError);
  });

  test("reports any error that a getter of the value throws", () => {
    const broken = {
      ...codec,
      fromHandler: () => {
        // oxlint-disable-next-line typescript/only-throw-error -- an application may throw anything
        throw "no error";
      },
    };
    expect(() => compileConversion(broken, "Shop.Thing/Id")({})).toThrow(/^Shop\.Thing\/Id: .* an object$/);
  });
});

describe("a field", () => {
  test("is read, inherited or not", () => {
    expect(compileFieldReader("name")(Object.create({ name: 1 }))).toBe(1);
    expect(compileFieldReader("name")({})).toBeUndefined();
  });

  test("of a name that every object inherits is read only as an own property", () => {
    expect(compileFieldReader("valueOf")({})).toBeUndefined();
    expect(compileFieldReader("valueOf")({ valueOf: 1 })).toBe(1);
  });
});
