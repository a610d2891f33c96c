import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addDecimals,
  divideDecimals,
  moduloDecimals,
  multiplyDecimals,
  negateDecimal,
  subtractDecimals,
  computeDecimals,
  fromScaledDecimal,
  negateScaledDecimal,
  toScaledDecimal,
} from "../../../src/edm/decimal-arithmetic.ts";
import { PRIMITIVE_TYPE_NAMES, PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../../src/edm/primitive-type.ts";
import { compareStrings } from "../../../src/edm/text-codecs.ts";
import type { PrimitiveValue } from "../../../src/edm/value-codec.ts";
import { valueCodec } from "../../../src/edm/value-codecs.ts";
import { computeIntegers } from "../../../src/engine/memory/arithmetic.ts";
import { canonicalKind, canonicalTest } from "../../../src/engine/memory/canonical-test.ts";
import { keyOrder, valueComparison } from "../../../src/engine/memory/compare.ts";
import { compileExpression } from "../../../src/engine/memory/compile-expression.ts";
import { Evaluation } from "../../../src/engine/memory/evaluation.ts";
import { roundDouble } from "../../../src/engine/memory/function-library.ts";
import type { ArithmeticOperator, Expression } from "../../../src/language/query/expression.ts";
import { anyCharacter } from "../../any-character.ts";
import { caseCount } from "../../cases.ts";
import { bindOne, propertyOf, read } from "./model.ts";

const OPERATORS = ["add", "sub", "mul", "div", "mod"] as const satisfies readonly ArithmeticOperator[];
const operators = fc.constantFrom(...OPERATORS);

/** Few values, so that equal ones occur often; most often null. */
const rows = fc.array(
  fc.record(
    {
      id: fc.integer({ min: 0, max: 9 }),
      name: fc.constantFrom(null, "", "a", "b", "ab", "\uFF5E", "\u{1F600}", "\uE000x"),
      number: fc.constantFrom(null, 0, -0, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
      price: fc.constantFrom(null, "0", "1.5", "1.50", "-1", "9007199254740993", "9007199254740992.5"),
      big: fc.constantFrom(null, 0n, 1n, -(2n ** 63n), 2n ** 63n - 1n),
      flag: fc.constantFrom(null, true, false),
      at: fc.constantFrom(
        null,
        "2024-01-01T00:00:00Z",
        "2024-01-01T02:00:00.0+02:00",
        new Date("2024-01-01T00:00:01Z"),
      ),
      color: fc.constantFrom(null, "Red", "Blue, Red", "None"),
    },
    { requiredKeys: ["id"] },
  ),
  { maxLength: 40 },
);

const atoms = fc.constantFrom(
  "Flag",
  "Id gt 4",
  "Number ne 1.5",
  "Number le Price",
  "Name eq null",
  "contains(Name,'a')",
  "Name ge 'b'",
  "Price add 1 gt 2",
  "Big sub 1 lt 0",
  "Id div (Id sub 3) eq 1",
  "At eq 2024-01-01T00:00:00Z",
  "year(At) eq 2024",
  "Color has 'Red'",
  "Price in (1.5,0)",
  "Flag eq true",
);
const predicates = fc.letrec<{ readonly predicate: string }>((tie) => ({
  predicate: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    atoms,
    tie("predicate").map((operand) => `not (${operand})`),
    fc
      .tuple(tie("predicate"), fc.constantFrom("and", "or"), tie("predicate"))
      .map(([left, operator, right]) => `(${left}) ${operator} (${right})`),
  ),
})).predicate;

describe("filters", () => {
  test("a predicate, its negation and its absence divide the rows", () => {
    fc.assert(
      fc.property(rows, predicates, (given, predicate) => {
        const parts = [predicate, `not (${predicate})`, `(${predicate}) eq null`].map((filter) => {
          return read(given, { filter }).entities;
        });
        const found = parts.flat();
        expect(found).toHaveLength(given.length);
        expect(new Set(found)).toEqual(new Set(given));
      }),
      { numRuns: caseCount(300) },
    );
  });

  test("`in` is a chain of `eq`", () => {
    const operands = fc.constantFrom("Id", "Name", "Number", "Price", "Big", "At", "Color");
    fc.assert(
      fc.property(
        rows,
        operands,
        fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 12 }),
        (given, name, picks) => {
          const texts = LITERALS[name] ?? [];
          const items = picks.map((pick) => texts[pick % texts.length] ?? "null");
          const chain = items.map((item) => `${name} eq ${item}`).join(" or ");
          expect(read(given, { filter: `${name} in (${items.join(",")})` })).toEqual(read(given, { filter: chain }));
        },
      ),
      { numRuns: caseCount(300) },
    );
  });
});

const LITERALS: Readonly<Record<string, readonly string[]>> = {
  Id: ["1", "2", "5", "null"],
  Name: ["''", "'a'", "'\u{1F600}'", "null"],
  Number: ["0", "1.5", "NaN", "INF", "null"],
  Price: ["0.00", "1.5", "9007199254740993", "null"],
  Big: ["0", "9223372036854775807", "-9223372036854775808"],
  At: ["2024-01-01T00:00:00.000Z", "2024-01-01T00:00:01Z", "null"],
  Color: ["'Red'", "'Red,Blue'", "'None'", "null"],
};

/** Values of a type in ascending order, no two of them equal. */
const SAMPLES: Readonly<Partial<Record<PrimitiveTypeName, readonly (string | number | bigint | boolean)[]>>> = {
  "Edm.Boolean": [false, true],
  "Edm.Int32": [-5, 0, 7],
  "Edm.Int64": [-(2n ** 63n), -1n, 0n, 2n ** 53n, 2n ** 53n + 1n],
  "Edm.Double": [Number.NEGATIVE_INFINITY, -1.5, 0, 1e300, Number.POSITIVE_INFINITY],
  "Edm.Decimal": ["-10", "-9.5", "0", "0.0000001", "9007199254740993", "9007199254740993.1"],
  "Edm.String": ["", "A", "a", "aa", "\uFF5E", "\u{1F600}"],
  "Edm.Guid": ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000B"],
  "Edm.Date": ["-0044-03-15", "0000-01-01", "2024-02-29", "2024-03-01", "12024-01-01"],
  "Edm.TimeOfDay": ["00:00:00", "09:59:59.999", "10:00:00", "10:00:00.1", "23:59:59"],
  "Edm.DateTimeOffset": [
    "-0044-03-15T00:00:00Z",
    "2024-01-01T00:00:00+01:00",
    "2024-01-01T00:00:00Z",
    "2024-01-01T00:00:00.5Z",
    "2023-12-31T23:00:00-02:00",
    "12024-01-01T00:00:00Z",
  ],
  "Edm.Duration": ["-P1D", "-PT1S", "PT0S", "PT0.5S", "PT36H", "P2D"],
};

describe("order", () => {
  const KEYS = ["Id", "Name", "Number", "Price", "Big", "Flag", "At", "Color", "Price add Id", "length(Name)"] as const;
  const orders = fc.uniqueArray(fc.tuple(fc.constantFrom(...KEYS), fc.boolean()), {
    minLength: 1,
    maxLength: 3,
    selector: ([key]) => key,
  });
  const write = (order: readonly (readonly [string, boolean])[]): string => {
    return order.map(([key, descending]) => `${key}${descending ? " desc" : ""}`).join(",");
  };

  test("neighbours are in order, ties as given; the page is a slice of the whole", () => {
    fc.assert(
      fc.property(rows, orders, fc.nat(12), fc.nat(12), (given, order, skip, top) => {
        const orderby = write(order);
        const sorted = read(given, { orderby }).entities;
        expect(new Set(sorted)).toEqual(new Set(given));
        expect(read(given, { orderby, skip, top }).entities).toEqual(sorted.slice(skip, skip + top));
        const [[key, descending] = ["Id", false], ...rest] = order;
        if (rest.length === 0) expect(sorted).toEqual(sortByDefinition(given, key, descending));
      }),
      { numRuns: caseCount(400) },
    );
  });

  test("selecting the first of many rows gives the same as sorting them", () => {
    const many = fc.array(fc.record({ id: fc.nat(60), number: fc.constantFrom(null, 1, 2, 3) }), {
      minLength: 40,
      maxLength: 200,
    });
    fc.assert(
      fc.property(many, orders, fc.nat(8), fc.integer({ min: 1, max: 8 }), (given, order, skip, top) => {
        const orderby = write(order);
        const sorted = read(given, { orderby }).entities;
        expect(read(given, { orderby, skip, top }).entities).toEqual(sorted.slice(skip, skip + top));
      }),
      { numRuns: caseCount(200) },
    );
  });

  /** By the definition: null first, NaN next, then values by codec, strings by their UTF-8 bytes. */
  function sortByDefinition(given: readonly object[], key: string, descending: boolean): readonly object[] {
    const [expression, values] = bindOne(key);
    const evaluate = compileExpression(expression, "spec-compliant");
    const evaluation = new Evaluation(values);
    const compare = referenceComparison(expression);
    const rank = (value: PrimitiveValue | null): number => {
      if (value === null) return 0;
      return Number.isNaN(value) ? 1 : 2;
    };
    return given.toSorted((left, right) => {
      const [first, second] = [evaluate(left, evaluation), evaluate(right, evaluation)];
      const ranks = rank(first) - rank(second);
      const order =
        ranks === 0 && first !== null && second !== null && rank(first) === 2 ? compare(first, second) : ranks;
      return descending ? 0 - order : order;
    });
  }

  function referenceComparison({ type }: Expression): (left: PrimitiveValue, right: PrimitiveValue) => number {
    if (type?.kind !== "PrimitiveType" && type?.kind !== "EnumType") throw new Error("A sort key has one value.");
    if (type === PRIMITIVE_TYPES["Edm.String"]) return (left, right) => compareBytes(String(left), String(right));
    const codec = valueCodec(type);
    return (left, right) => codec.compare(left, right);
  }
});

function compareBytes(left: string, right: string): number {
  const [first, second] = [left, right].map((text) => [...new TextEncoder().encode(text)]);
  const codec = valueCodec(PRIMITIVE_TYPES["Edm.Binary"]);
  return Math.sign(codec.compare(Uint8Array.from(first ?? []), Uint8Array.from(second ?? [])));
}

describe("values", () => {
  test("strings are ordered as their UTF-8 bytes", () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 5 });
    fc.assert(
      fc.property(text, text, (left, right) => {
        const bytes = compareBytes(left, right);
        expect(Math.sign(compareStrings(left, right))).toBe(bytes);
        const { order, noteKey } = keyOrder(PRIMITIVE_TYPES["Edm.String"]);
        noteKey(left);
        noteKey(right);
        expect(Math.sign(order(left, right))).toBe(bytes);
      }),
      { numRuns: caseCount(2000) },
    );
  });

  test("a value that looks canonical equals its conversion by the codec", () => {
    const texts = fc.oneof(
      fc.constantFrom(...Object.values(SAMPLES).flat()),
      fc.stringMatching(/^-?\d{1,3}(\.\d{0,3})?$/),
      fc.stringMatching(/^[0-9a-fA-F]{8}-0000-4000-8000-00000000000[aA]$/),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    );
    fc.assert(
      fc.property(fc.constantFrom(...PRIMITIVE_TYPE_NAMES), texts, (name, value) => {
        const type = PRIMITIVE_TYPES[name];
        if (canonicalKind(type) === typeof value || !canonicalTest(type)(value)) return;
        expect(valueCodec(type).fromHandler(value)).toBe(value);
      }),
      { numRuns: caseCount(2000) },
    );
  });

  test.each(Object.entries(SAMPLES))("%s: exactly one of lt, eq and gt is true for two values", (name, samples) => {
    const codec = valueCodec(PRIMITIVE_TYPES[name as PrimitiveTypeName]);
    const compare = valueComparison(codec.type);
    for (const left of samples) {
      for (const right of samples) {
        const order = Math.sign(compare(codec.fromHandler(left), codec.fromHandler(right)));
        expect(order).toBe(Math.sign(samples.indexOf(left) - samples.indexOf(right)));
      }
    }
  });
});

describe("arithmetic", () => {
  const numbers = fc.oneof(
    fc.bigInt({ min: -20n, max: 20n }),
    fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  );
  const loosen = (value: bigint): number | bigint => {
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  };

  test("of integers is that of bigints within Int64", () => {
    fc.assert(
      fc.property(operators, numbers, numbers, (operator, left, right) => {
        const result = computeIntegers(operator, loosen(left), loosen(right));
        expect(result === null ? null : BigInt(result)).toBe(reference(operator, left, right));
        expect(computeIntegers(operator, left, right)).toBe(reference(operator, left, right));
      }),
      { numRuns: caseCount(2000) },
    );
  });

  function reference(operator: ArithmeticOperator, left: bigint, right: bigint): bigint | null {
    if ((operator === "div" || operator === "mod") && right === 0n) return null;
    const results = { add: left + right, sub: left - right, mul: left * right };
    const result = operator === "div" || operator === "mod" ? divide(operator, left, right) : results[operator];
    return BigInt.asIntN(64, result) === result ? result : null;
  }

  function divide(operator: "div" | "mod", left: bigint, right: bigint): bigint {
    return operator === "div" ? left / right : left % right;
  }

  const decimals = fc
    .tuple(fc.oneof(numbers, fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })), fc.nat(20))
    .map(([scaled, scale]) => fromScaledDecimal({ scaled, scale }));

  test("of Decimals in parts is that of Decimals converted to strings after each operation", () => {
    const compute = {
      add: addDecimals,
      sub: subtractDecimals,
      mul: multiplyDecimals,
      div: divideDecimals,
      mod: moduloDecimals,
    };
    fc.assert(
      fc.property(operators, operators, decimals, decimals, decimals, (inner, outer, first, second, third) => {
        const parts = computeDecimals(inner, toScaledDecimal(first), toScaledDecimal(second));
        const inParts = parts === null ? null : computeDecimals(outer, parts, toScaledDecimal(third));
        const text = compute[inner](first, second);
        const asText = text === null ? null : compute[outer](text, third);
        expect(inParts === null ? null : fromScaledDecimal(inParts)).toBe(asText);
      }),
      { numRuns: caseCount(2000) },
    );
  });

  test("the parts of a Decimal make the Decimal again, and its negation", () => {
    fc.assert(
      fc.property(decimals, (value) => {
        expect(fromScaledDecimal(toScaledDecimal(value))).toBe(value);
        expect(fromScaledDecimal(negateScaledDecimal(toScaledDecimal(value)))).toBe(negateDecimal(value));
      }),
      { numRuns: caseCount(1000) },
    );
  });

  test("a double is rounded to a nearest integer, a midpoint as the mode says", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e16, max: 1e16, noNaN: true }),
        fc.integer({ min: -1e6, max: 1e6 }),
        (value, half) => {
          for (const mode of ["spec-compliant", "BankersRounding"] as const) {
            expect(Number.isInteger(roundDouble(value, mode))).toBe(true);
            expect(Math.abs(roundDouble(value, mode) - value)).toBeLessThanOrEqual(0.5);
          }
          const midpoint = half + 0.5;
          expect(Math.abs(roundDouble(midpoint, "spec-compliant"))).toBe(Math.abs(midpoint) + 0.5);
          expect(Math.abs(roundDouble(midpoint, "BankersRounding") % 2)).toBe(0);
        },
      ),
      { numRuns: caseCount(1000) },
    );
  });
});

test("a property under any name is read from its own field", () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype)), (field) => {
      const readField = (row: object): unknown => {
        const property = { ...propertyOf("Name").property, field };
        return compileExpression({ ...propertyOf("Name"), property }, "spec-compliant")(row, new Evaluation([]));
      };
      expect(readField({})).toBeNull();
      expect(readField(Object.fromEntries([[field, "own"]]))).toBe("own");
    }),
  );
});
