import { describe, expect, test, vi } from "vitest";
import { FUNCTION_NAMES, FUNCTION_SIGNATURES } from "../../../src/edm/canonical-functions.ts";
import { applyQuery } from "../../../src/engine/memory/apply-query.ts";
import { bind, evaluate, read, toSourceQuery } from "./model.ts";

const EMOJI = "a\u{1F600}b";

describe("strings", () => {
  test.each([
    ["contains(Name,'hai')", "Chai", true],
    ["contains(Name,'HAI')", "Chai", false],
    ["contains(Name,'')", "Chai", true],
    ["contains(Name,'%')", "Chai", false],
    ["contains(Name,'%')", "100%", true],
    ["startswith(Name,'Ch')", "Chai", true],
    ["startswith(Name,'hai')", "Chai", false],
    ["endswith(Name,'ai')", "Chai", true],
    ["endswith(Name,'Ch')", "Chai", false],
    ["length(Name)", "", 0],
    ["length(Name)", "Chai", 4],
    ["length(Name)", EMOJI, 3],
    ["length(Name)", "\uD83D", 1],
    ["indexof(Name,'i')", "Chai", 3],
    ["indexof(Name,'x')", "Chai", -1],
    ["indexof(Name,'')", "Chai", 0],
    ["indexof(Name,'b')", EMOJI, 2],
    ["indexof(Name,'a')", EMOJI, 0],
    ["substring(Name,1)", "Chai", "hai"],
    ["substring(Name,1,2)", "Chai", "ha"],
    ["substring(Name,4)", "Chai", ""],
    ["substring(Name,9,2)", "Chai", ""],
    ["substring(Name,-2)", "Chai", "Chai"],
    ["substring(Name,-2,2)", "Chai", "Ch"],
    ["substring(Name,1,-1)", "Chai", ""],
    ["substring(Name,1,99)", "Chai", "hai"],
    ["substring(Name,1,1)", EMOJI, "\u{1F600}"],
    ["substring(Name,2)", EMOJI, "b"],
    ["tolower(Name)", "ÄSSI", "ässi"],
    ["tolower(Name)", "İ", "i\u0307"],
    ["toupper(Name)", "straße", "STRASSE"],
    ["trim(Name)", " \t\n\u00A0Chai\u3000 ", "Chai"],
    ["concat(Name,'!')", "Chai", "Chai!"],
    ["concat(concat(Name,', '),Name)", "Chai", "Chai, Chai"],
    ["TOUPPER(Name)", "chai", "CHAI"],
    ["Name eq toupper(tolower(Name))", "CHAI", true],
  ])("%s of %j is %j", (text, name, expected) => {
    expect(evaluate(text, { name })).toBe(expected);
  });

  test.each([
    "contains(Name,null)",
    "contains(null,'x')",
    "startswith(Name,Constructor)",
    "indexof(Name,null)",
    "concat(Name,null)",
    "substring(Name,null)",
    "substring(Name,0,null)",
    "substring(null,0)",
  ])("%s is null", (text) => {
    expect(evaluate(text, { name: "Chai" })).toBeNull();
  });
});

describe("dates and times", () => {
  const at = "2024-12-31T23:59:58.120+14:00";
  test.each([
    ["year(At)", 2024],
    ["month(At)", 12],
    ["day(At)", 31],
    ["hour(At)", 23],
    ["minute(At)", 59],
    ["second(At)", 58],
    ["fractionalseconds(At)", "0.120"],
    ["fractionalseconds(At) eq 0.12", true],
    ["totaloffsetminutes(At)", 840],
    ["date(At)", "2024-12-31"],
    ["time(At)", "23:59:58.120"],
    ["year(Day)", -44],
    ["month(Day)", 3],
    ["day(Day)", 15],
    ["hour(Time)", 7],
    ["minute(Time)", 8],
    ["second(Time)", 9],
    ["fractionalseconds(Time)", "0"],
    ["totalseconds(Span)", "-90061.5"],
    ["totalseconds(Span) lt 0", true],
    ["year(mindatetime())", 1],
    ["year(maxdatetime())", 9999],
    ["mindatetime() lt At and At lt maxdatetime()", true],
    ["totaloffsetminutes(now())", 0],
    ["date(At) eq 2024-12-31", true],
  ])("%s is %j", (text, expected) => {
    expect(evaluate(text, { at, day: "-0044-03-15", time: "07:08:09", span: "-P1DT1H1M1.5S" })).toBe(expected);
  });

  test("west of Greenwich the offset is negative", () => {
    expect(evaluate("totaloffsetminutes(At)", { at: "2024-01-01T00:00:00-03:30" })).toBe(-210);
  });

  test("now() is one instant per execution of a query", () => {
    vi.useFakeTimers({ now: new Date("2024-05-01T10:00:00.250Z") });
    try {
      const query = toSourceQuery(bind({ filter: "At le now()", orderby: "now() sub At" }));
      const late = {
        id: 2,
        // Time passes while the rows are read.
        get at(): string {
          vi.advanceTimersByTime(1000);
          return "2024-05-01T10:00:00.251Z";
        },
      };
      const rows = [{ id: 1, at: "2024-05-01T10:00:00.200Z" }, late, { id: 3, at: "2024-05-01T10:00:00.250Z" }];
      expect(applyQuery(rows, query).entities).toEqual([rows[2], rows[0]]);
      expect(applyQuery(rows, query).entities).toEqual([late, rows[2], rows[0]]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("rounding", () => {
  test.each([
    ["round(Price)", { price: "2.5" }, "3", "2"],
    ["round(Price)", { price: "-2.5" }, "-3", "-2"],
    ["round(Price)", { price: "3.5" }, "4", "4"],
    ["round(Price)", { price: "2.4999999999999999999999" }, "2", "2"],
    ["round(Price)", { price: "12345678901234567890.5" }, "12345678901234567891", "12345678901234567890"],
    ["round(Price)", { price: "7" }, "7", "7"],
    ["round(Id)", { id: 7 }, "7", "7"],
    ["floor(Price)", { price: "-2.5" }, "-3", "-3"],
    ["floor(Price)", { price: "2.5" }, "2", "2"],
    ["ceiling(Price)", { price: "-2.5" }, "-2", "-2"],
    ["ceiling(Price)", { price: "2.01" }, "3", "3"],
    ["round(Number)", { number: 2.5 }, 3, 2],
    ["round(Number)", { number: -2.5 }, -3, -2],
    ["round(Number)", { number: 3.5 }, 4, 4],
    ["round(Number)", { number: 0.49999999999999994 }, 0, 0],
    ["round(Number)", { number: 0.5 }, 1, 0],
    ["round(Number)", { number: 4503599627370495.5 }, 4503599627370496, 4503599627370496],
    ["round(Number)", { number: 4503599627370497 }, 4503599627370497, 4503599627370497],
    ["round(Number)", { number: 1e300 }, 1e300, 1e300],
    ["round(Number)", { number: Number.POSITIVE_INFINITY }, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ["round(Number)", { number: Number.NaN }, Number.NaN, Number.NaN],
    ["round(Single)", { single: -7.5 }, -8, -8],
    ["floor(Number)", { number: -2.5 }, -3, -3],
    ["ceiling(Number)", { number: 2.1 }, 3, 3],
    ["round(Number)", {}, null, null],
    ["round(Price)", {}, null, null],
  ])("%s of %j is %j, bankers' %j", (text, entity, compliant, bankers) => {
    expect(evaluate(text, entity, "spec-compliant")).toBe(compliant);
    expect(evaluate(text, entity, "BankersRounding")).toBe(bankers);
  });

  test("in a filter of either mode", () => {
    const rows = [{ price: "2.5" }, { price: "3.2" }];
    expect(read(rows, { filter: "round(Price) eq 3" }).entities).toEqual(rows);
    const bankers = toSourceQuery(bind({ filter: "round(Price) eq 3" }, "BankersRounding"));
    expect(applyQuery(rows, bankers).entities).toEqual([rows[1]]);
  });
});

describe("every function of one argument", () => {
  const PROPERTY: Readonly<Record<string, string>> = {
    "Edm.String": "Name",
    "Edm.DateTimeOffset": "At",
    "Edm.Date": "Day",
    "Edm.TimeOfDay": "Time",
    "Edm.Duration": "Span",
    "Edm.Decimal": "Price",
    "Edm.Double": "Number",
  };
  const calls = FUNCTION_NAMES.flatMap((name) =>
    FUNCTION_SIGNATURES[name]
      .filter(({ parameters }) => parameters.length === 1)
      .map(({ parameters }) => `${name}(${PROPERTY[parameters[0] ?? ""] ?? "?"})`),
  );
  test.each(calls)("%s of null is null", (text) => {
    expect(evaluate(text, {})).toBeNull();
  });
});
