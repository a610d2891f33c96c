import { describe, expect, test } from "vitest";
import { type Door, eachDoor, expectAnswer, expectInvalidOption, ORIGIN, type Send, url } from "./doors.ts";
import { idsOf, SAMPLE_SETS, sampleService } from "./model.ts";

/** A filter, and the keys of the samples that it leaves. */
type Case = readonly [filter: string, ids: readonly number[]];

const ALL = [1, 2, 3, 4, 5, 6];
const NONE: readonly number[] = [];
const others = (...ids: number[]) => ALL.filter((id) => !ids.includes(id));

const COMPARISON: readonly Case[] = [
  ["Id eq 1", [1]],
  ["Id ne 1", others(1)],
  ["Id gt 4", [5, 6]],
  ["Id ge 4", [4, 5, 6]],
  ["Id lt 2", [1]],
  ["Id le 2", [1, 2]],
  ["1 eq Id", [1]],
  ["4 lt Id", [5, 6]],
  ["Int32 eq Id", NONE],
  ["Byte eq Id", [1, 2, 5, 6]],
  ["Text eq 'Chai'", [1]],
  ["Text eq 'chai'", NONE],
  ["Text ne 'Chai'", others(1)],
  ["Text eq 'O''Neil & Söhne'", [5]],
  ["Text eq '日本語 𝒳'", [6]],
  ["Text gt 'Chai'", [2, 4, 5, 6]],
  ["Text lt 'Chai'", [3]],
  ["Text ge 'Chai' and Text le 'chang'", [1, 2, 5]],
  ["'Chai' eq Text", [1]],
  ["Text eq MaybeText", NONE],
  ["Boolean eq true", [1, 3, 5]],
  ["Boolean eq false", [2, 4, 6]],
  ["Boolean ne true", [2, 4, 6]],
  ["true eq Boolean", [1, 3, 5]],
  ["Boolean", [1, 3, 5]],
  ["not Boolean", [2, 4, 6]],
  ["true", ALL],
  ["false", NONE],
  ["Guid eq abcdef01-2345-6789-abcd-ef0123456789", [3]],
  ["Guid eq ABCDEF01-2345-6789-ABCD-EF0123456789", [3]],
  ["Guid ne abcdef01-2345-6789-abcd-ef0123456789", others(3)],
  ["Binary eq binary'AQID'", [1]],
  ["Binary eq binary'__79'", [3]],
  ["Binary eq binary''", [2]],
  ["Binary eq binary'YQ'", [5]],
  ["Binary eq binary'YQ=='", [5]],
  ["remark eq 'said'", [1]],
  ["remark eq '100%'", [4]],
];

const NUMBERS: readonly Case[] = [
  ["Int32 eq 5.0", [1]],
  ["Int32 eq 2147483647", [3]],
  ["Int32 eq -2147483648", [4]],
  ["Int32 lt -6", [4, 5]],
  ["Int64 eq 5", [1]],
  ["Int64 eq 9007199254740993", [2]],
  ["Int64 eq 9007199254740992", [5]],
  ["Int64 gt 9007199254740992", [2, 3]],
  ["Int64 eq 9007199254740993.0", [2]],
  ["Int64 gt 9007199254740992.5", [2, 3]],
  ["Int64 eq 9223372036854775807", [3]],
  ["Int64 eq -9223372036854775808", [4]],
  ["Int64 lt 9223372036854775808", ALL],
  ["Id lt 99999999999999999999", ALL],
  ["Decimal eq 18", [1]],
  ["Decimal eq 18.00", [1]],
  ["Decimal eq 9999999999999999.9999", [3]],
  ["Decimal gt 9999999999999999.9998", [3]],
  ["Decimal gt Id", [1, 2, 3]],
  ["Amount eq 1.1", [1, 2]],
  ["Amount eq 123456789012345678901234567890.123456789", [3]],
  ["Amount gt 123456789012345678901234567890.12345678", [3]],
  ["Amount eq 123456789012345678901234567890.123456788", NONE],
  ["Single eq 0.5", [1]],
  ["Single eq INF", [5]],
  ["Double eq 2.5", [1]],
  ["Double eq 25e-1", [1]],
  ["Double eq 2.5E0", [1]],
  ["Double eq -2.5", [4]],
  ["MaybeDouble eq 0.1", [1]],
  ["Double gt 1e308", [3, 5]],
  ["Double eq INF", [5]],
  ["MaybeDouble eq -INF", [4]],
  ["Double lt 0", [4]],
  ["Double eq NaN", NONE],
  ["Double ne NaN", ALL],
  ["Double gt NaN", NONE],
  ["Double eq Double", others(6)],
  ["Byte eq 255", [3]],
  ["SByte eq -128", [4]],
  ["Int16 eq -32768", [4]],
  ["Double eq Decimal", [4]],
  ["Decimal eq Amount", [6]],
];

const NULLS: readonly Case[] = [
  ["MaybeInt32 eq null", [2, 5]],
  ["null eq MaybeInt32", [2, 5]],
  ["MaybeInt32 ne null", [1, 3, 4, 6]],
  ["MaybeInt32 eq 5", [1]],
  ["MaybeInt32 ne 5", others(1)],
  ["MaybeInt32 gt 0", [1, 3]],
  ["MaybeInt32 le 0", [4, 6]],
  ["not (MaybeInt32 gt 0)", [2, 4, 5, 6]],
  ["MaybeInt32 ge null", NONE],
  ["not (MaybeInt32 ge null)", ALL],
  ["null eq null", ALL],
  ["null ne null", NONE],
  ["MaybeInt32 eq MaybeInt16", [2, 5]],
  ["MaybeInt32 ne MaybeInt16", others(2, 5)],
  ["Id add MaybeByte eq null", [2, 5]],
  ["Id add null eq null", ALL],
  ["-MaybeByte eq null", [2, 5]],
  ["Id add MaybeByte gt 0", [1, 3, 4, 6]],
  ["length(MaybeText) eq null", [2]],
  ["contains(MaybeText,'a')", [5, 6]],
  ["not contains(MaybeText,'a')", [1, 3, 4]],
  ["contains(MaybeText,'a') eq null", [2]],
  ["contains(Text,null) eq null", ALL],
  ["concat(MaybeText,'x') eq null", [2]],
  ["MaybeText eq ''", [3]],
  ["MaybeBoolean", [1, 4]],
  ["not MaybeBoolean", [3, 6]],
  ["MaybeBoolean eq null", [2, 5]],
  ["MaybeBoolean ne true", [2, 3, 5, 6]],
  ["MaybeBoolean or Boolean", [1, 3, 4, 5]],
  ["MaybeBoolean and Boolean", [1]],
  ["not (MaybeBoolean and Boolean)", [2, 3, 4, 6]],
  ["not (MaybeBoolean or Boolean)", [6]],
  ["(MaybeBoolean and Boolean) eq null", [5]],
  ["(MaybeBoolean or Boolean) eq null", [2]],
  ["Boolean and null", NONE],
  ["Boolean or null", [1, 3, 5]],
  ["MaybeGuid eq null", [2, 5]],
  ["MaybeColor eq null", [2, 5]],
  ["MaybeBinary eq null", [2, 5]],
  ["MaybeDateTimeOffset eq null", [2, 5]],
  ["MaybeDateTimeOffset lt now()", [1, 4, 6]],
  ["remark eq null", [2, 3]],
  ["year(MaybeDate) eq null", [2, 5]],
  ["round(MaybeDouble) eq null", [2, 5]],
];

const PATHS: readonly Case[] = [
  ["Home/City eq 'Berlin'", [1, 4]],
  ["Home/City ne 'Berlin'", others(1, 4)],
  ["Home/City eq null", [2]],
  ["Home/Position/Latitude gt 50", [1]],
  ["Home/Position/Longitude eq null", [2, 3, 4]],
  ["MaybeHome/City eq 'Berlin'", [1]],
  ["MaybeHome/City eq null", [2, 3, 4, 5]],
  ["MaybeHome/Position/Latitude gt 50", [1]],
  ["MaybeHome eq null", [2, 4, 5]],
  ["MaybeHome ne null", [1, 3, 6]],
  ["Home/Position eq null", [2, 4]],
  ["length(Home/Street) eq 3", [5, 6]],
  ["$it/Id eq 1", [1]],
  ["$it/Home/City eq 'Paris'", [3]],
  ["Texts/$count eq 0", [2, 5]],
  ["Homes/$count gt 1", [1]],
  ["Numbers/$count eq 2", [1, 4]],
  ["MaybeTexts/$count eq 1", [3, 4]],
  ["Texts/$count eq Homes/$count", [1, 2, 3, 5, 6]],
];

const PRECEDENCE: readonly Case[] = [
  ["Id eq 1 or Id eq 2 and Boolean eq false", [1, 2]],
  ["(Id eq 1 or Id eq 2) and Boolean eq false", [2]],
  ["Boolean eq false and Id eq 2 or Id eq 1", [1, 2]],
  ["not Boolean and Id gt 2", [4, 6]],
  ["not (Boolean and Id gt 2)", [1, 2, 4, 6]],
  ["not MaybeBoolean eq null", [2, 5]],
  ["not (MaybeBoolean eq null)", [1, 3, 4, 6]],
  ["not not Boolean", [1, 3, 5]],
  ["Id add 2 mul 3 eq 11", [5]],
  ["(Id add 2) mul 3 eq 21", [5]],
  ["Id sub 1 sub 1 eq 0", [2]],
  ["6 div Id div 2 eq 1", [2, 3]],
  ["12 div Id mul 2 eq 8", [3]],
  ["-Id add 3 eq 1", [2]],
  ["-(Id add 3) eq -5", [2]],
  ["Id gt 2 eq true", [3, 4, 5, 6]],
  ["Id gt 2 eq Boolean", [2, 3, 5]],
  ["Id eq 1 eq Boolean", [1, 2, 4, 6]],
  ["((Id eq 1))", [1]],
  ["(Id) eq (1)", [1]],
  ["Access has Kit.Access'Write' eq Boolean", [5, 6]],
];

const ARITHMETIC: readonly Case[] = [
  ["Id add 1 eq 3", [2]],
  ["Id sub 10 eq -8", [2]],
  ["Id mul Id eq 9", [3]],
  ["Id mod 2 eq 0", [2, 4, 6]],
  ["-Id eq -3", [3]],
  ["5 div 2 eq 2", ALL],
  ["-5 div 2 eq -2", ALL],
  ["5.0 div 2 eq 2.5", ALL],
  ["5 div 2.0 eq 2.5", ALL],
  ["-7 mod 3 eq -1", ALL],
  ["7 mod -3 eq 1", ALL],
  ["Int32 mod 3 eq -1", [5]],
  ["Byte add SByte eq 2", [1]],
  ["Byte sub 1 lt 0", [4]],
  ["Byte add 1 eq 256", [3]],
  ["Int16 add 1 eq 32768", [3]],
  ["Decimal add 0.0001 eq 18.0001", [1]],
  ["Decimal mul 2 eq 39", [2]],
  ["Decimal div 4 eq 4.5", [1]],
  ["Decimal mod 5 eq 3", [1]],
  ["Decimal sub 20 lt 0", [1, 2, 4, 5, 6]],
  ["0.1 add 0.2 eq 0.3", ALL],
  ["Amount add 0.000000001 eq 123456789012345678901234567890.12345679", [3]],
  ["1 div 3.0 gt 0.333", ALL],
  ["Double add 1 eq 3.5", [1]],
  ["Double div 2 eq 1.25", [1]],
  ["Double mod 2 eq 0.5", [1]],
  ["Double mod 2 eq -0.5", [4]],
  ["Double div 0 eq INF", [1, 2, 3, 5]],
  ["Double div 0 eq -INF", [4]],
  ["Double mul 2 eq INF", [3, 5]],
  ["Single add Double eq 3", [1]],
  ["Single mul 2 eq 1", [1]],
  ["Int64 div 1 eq 9007199254740993", [2]],
];

/** Integers are computed as Int64. A row without a result has null; a literal zero is refused below. */
const NO_RESULT: readonly Case[] = [
  ["Int32 add 1 gt 0", [1, 2, 3, 6]],
  ["Int32 add 1 eq 2147483648", [3]],
  ["Int32 sub 1 eq -2147483649", [4]],
  ["Int64 sub 1 eq null", [4]],
  ["Int64 add 1 eq null", [3]],
  ["Int64 mul 2 eq null", [3, 4]],
  ["-Int64 eq null", [4]],
  ["10 div Int32 eq null", [6]],
  ["10 div Int32 eq 2", [1]],
  ["10 mod Int32 eq null", [6]],
  ["Id div Amount eq null", [5]],
  ["Id mod Amount eq null", [5]],
];

const STRINGS: readonly Case[] = [
  ["contains(Text,'ha')", [1, 2]],
  ["contains(Text,'HA')", NONE],
  ["contains(Text,'')", ALL],
  ["contains(MaybeText,'%')", [4]],
  ["contains(MaybeText,'_')", [4]],
  ["contains(Text,'''')", [5]],
  ["contains(Text,Text)", ALL],
  ["startswith(Text,'Ch')", [1]],
  ["startswith(Text,'')", ALL],
  ["endswith(Text,'g')", [2]],
  ["endswith(MaybeText,' ')", [6]],
  ["length(Text) eq 4", [1]],
  ["length(Text) eq 8", [4]],
  ["length(MaybeText) eq 0", [3]],
  ["length('日本語 𝒳') eq 5", ALL],
  ["indexof(Text,'ha') eq 1", [1, 2]],
  ["indexof(Text,'zz') eq -1", ALL],
  ["indexof(Text,'') eq 0", ALL],
  ["indexof(Text,'Neil') eq 2", [5]],
  ["substring(Text,1) eq 'hai'", [1]],
  ["substring(Text,1,2) eq 'ha'", [1, 2]],
  ["substring(Text,0,4) eq 'Chai'", [1]],
  ["substring(Text,100) eq ''", ALL],
  ["substring(Text,2,100) eq 'ai'", [1]],
  ["substring(Text,Id) eq 'hai'", [1]],
  ["tolower(Text) eq 'chai'", [1]],
  ["tolower(Text) eq 'ångström'", [4]],
  ["toupper(Text) eq 'ÅNGSTRÖM'", [4]],
  ["trim(MaybeText) eq 'padded'", [6]],
  ["length(trim(MaybeText)) eq 6", [6]],
  ["concat(Text,'!') eq 'Chai!'", [1]],
  ["concat(concat(Text,', '),Home/City) eq 'Chai, Berlin'", [1]],
];

const DATES: readonly Case[] = [
  ["year(Date) eq 2024", [1, 2, 6]],
  ["month(Date) eq 2", [1]],
  ["day(Date) eq 31", [3, 5]],
  ["year(Date) eq 1", [4]],
  ["year(DateTimeOffset) eq 2024", [1, 2, 5, 6]],
  // Parts are taken in the value's own offset.
  ["month(DateTimeOffset) eq 3", [2]],
  ["day(DateTimeOffset) eq 29", [1, 5, 6]],
  ["hour(DateTimeOffset) eq 10", [1, 6]],
  ["hour(DateTimeOffset) eq 12", [5]],
  ["minute(DateTimeOffset) eq 20", [1, 5, 6]],
  ["second(DateTimeOffset) eq 30", [1, 5, 6]],
  ["second(DateTimeOffset) eq 59", [3]],
  ["fractionalseconds(DateTimeOffset) eq 0.5", [6]],
  ["fractionalseconds(DateTimeOffset) eq 0.999999999999", [3]],
  ["fractionalseconds(DateTimeOffset) eq 0", [1, 2, 4, 5]],
  ["hour(TimeOfDay) eq 12", [5, 6]],
  ["minute(TimeOfDay) eq 30", [1]],
  ["second(TimeOfDay) eq 56", [5]],
  ["fractionalseconds(TimeOfDay) eq 0.789", [5]],
  ["date(DateTimeOffset) eq 2024-03-01", [2]],
  ["date(DateTimeOffset) eq 2024-02-29", [1, 5, 6]],
  ["time(DateTimeOffset) eq 10:20:30", [1]],
  ["time(DateTimeOffset) lt 01:00", [2, 4]],
  ["totaloffsetminutes(DateTimeOffset) eq 120", [2, 5]],
  ["totaloffsetminutes(DateTimeOffset) eq -210", [6]],
  ["totaloffsetminutes(DateTimeOffset) eq 0", [1, 3, 4]],
  ["totalseconds(Duration) eq 5400", [1, 5]],
  ["totalseconds(Duration) eq -86401", [4]],
  ["totalseconds(Duration) eq 86410085.477", [3]],
  ["Date eq 2024-03-01", [2, 6]],
  ["Date lt 2000-01-01", [4, 5]],
  ["DateTimeOffset eq 2024-02-29T10:20:30Z", [1, 5]],
  ["DateTimeOffset eq 2024-02-29T11:20:30+01:00", [1, 5]],
  ["DateTimeOffset eq 2024-02-29T10:20:30.000Z", [1, 5]],
  ["DateTimeOffset lt 2000-01-01T00:00:00Z", [4]],
  ["DateTimeOffset gt 2024-02-29T22:00:00Z", [2, 3]],
  ["DateTimeOffset gt 9999-12-31T23:59:59.999999999998Z", [3]],
  ["DateTimeOffset lt now()", others(3)],
  ["DateTimeOffset ge mindatetime()", ALL],
  ["DateTimeOffset le maxdatetime()", ALL],
  ["TimeOfDay gt 12:00:00", [2, 3, 5]],
  ["TimeOfDay eq 12:00", [6]],
  ["TimeOfDay eq 08:30:00.000", [1]],
  ["TimeOfDay gt 23:59:59.999999999998", [3]],
  ["Duration eq duration'PT90M'", [1, 5]],
  ["Duration eq duration'PT24H'", [2]],
  ["Duration gt duration'PT1H'", [1, 2, 3, 5]],
  ["Duration lt duration'PT0S'", [4]],
  ["Date add duration'P1D' eq 2024-03-01", [1]],
  ["Date sub duration'P1D' eq 2024-02-29", [2, 6]],
  ["Date sub 2024-02-29 eq duration'P1D'", [2, 6]],
  ["Date sub Date eq duration'PT0S'", ALL],
  ["MaybeDateTimeOffset add duration'P1D' eq 2024-03-01T10:20:30Z", [1]],
  ["DateTimeOffset sub duration'PT30M' eq 2024-02-29T22:00:00Z", [2]],
  ["DateTimeOffset sub 2024-02-29T10:20:30Z eq duration'PT0S'", [1, 5]],
  ["DateTimeOffset sub DateTimeOffset eq duration'PT0S'", ALL],
  ["Duration add duration'PT30M' eq duration'PT2H'", [1, 5]],
  ["Duration sub Duration eq duration'PT0S'", ALL],
  ["-Duration eq duration'P1DT1S'", [4]],
  ["-duration'PT90M' eq -Duration", [1, 5]],
];

const ENUMS: readonly Case[] = [
  ["Color eq Kit.Color'Red'", [1, 4]],
  ["Color ne Kit.Color'Red'", others(1, 4)],
  ["Color eq Kit.Color'0'", [1, 4]],
  ["Color eq 'Red'", [1, 4]],
  ["Color gt Kit.Color'Red'", [2, 3, 5, 6]],
  ["MaybeColor eq Color", [3, 4, 6]],
  ["Access eq Kit.Access'Write,Read'", [2]],
  ["Access eq Kit.Access'None'", [3]],
  ["Access eq Kit.Access'3'", [2]],
  ["Access has Kit.Access'Write'", [2, 4, 5]],
  ["Access has Kit.Access'Read,Write'", [2, 4]],
  ["Access has Kit.Access'3'", [2, 4]],
  ["not (Access has Kit.Access'Write')", [1, 3, 6]],
  ["Access has Kit.Access'Read,+64'", []],
  ["Access eq Kit.Access'64' or Access in ('Read,9007199254740991')", []],
  ["Access ne Kit.Access'Read,+64'", [1, 2, 3, 4, 5, 6]],
  ["MaybeAccess has Kit.Access'Read'", [1, 6]],
];

const LISTS: readonly Case[] = [
  ["Id in (1,3)", [1, 3]],
  ["Id in (1)", [1]],
  ["Id in ( 1 , 3 )", [1, 3]],
  ["not (Id in (1,2))", [3, 4, 5, 6]],
  ["Text in ('Chai','chang')", [1, 2]],
  ["Text in ('a,b','Chai)','Chai')", [1]],
  ["MaybeInt32 in (5,null)", [1, 2, 5]],
  ["Decimal in (18,2.5)", [1, 6]],
  ["Int64 in (9007199254740993,5)", [1, 2]],
  ["Date in (2024-02-29,1999-12-31)", [1, 5]],
  ["Color in (Kit.Color'Red',Kit.Color'Blue')", [1, 3, 4, 6]],
  ["Guid in (abcdef01-2345-6789-abcd-ef0123456789)", [3]],
  ["Id in (1,2) and Boolean", [1]],
  ["Id in (1,2) eq Boolean", [1, 4, 6]],
];

const ROUNDING: readonly Case[] = [
  ["round(Double) eq 3", [1]],
  ["round(Double) eq 4", [2]],
  ["round(Double) eq -3", [4]],
  ["round(Decimal) eq 3", [6]],
  ["round(Decimal) eq -3", [4]],
  ["round(Decimal) eq 20", [2]],
  ["round(2.5) eq 3 and round(-2.5) eq -3", ALL],
  ["round(0.49999999999999994e0) eq 0", ALL],
  ["floor(Double) eq 2", [1]],
  ["floor(Double) eq -3", [4]],
  ["ceiling(Double) eq 3", [1]],
  ["ceiling(Double) eq -2", [4]],
  ["floor(Decimal) eq 19", [2]],
  ["ceiling(Decimal) eq 1", [5]],
  ["ceiling(Decimal) eq 10000000000000000", [3]],
];

const BANKERS: readonly Case[] = [
  ["round(Double) eq 2", [1]],
  ["round(Double) eq 4", [2]],
  ["round(Double) eq -2", [4]],
  ["round(Decimal) eq 2", [6]],
  ["round(Decimal) eq -2", [4]],
  ["round(Decimal) eq 20", [2]],
  ["round(2.5) eq 2 and round(3.5) eq 4 and round(-2.5) eq -2", ALL],
];

const SECTIONS = {
  comparison: COMPARISON,
  "numbers of every type, without loss": NUMBERS,
  "null: eq and ne two-valued, gt ge lt le false, and or not three-valued": NULLS,
  "paths and counts": PATHS,
  precedence: PRECEDENCE,
  arithmetic: ARITHMETIC,
  "arithmetic without a result: overflow of Int64 and division by the zero of a row give null": NO_RESULT,
  "string functions": STRINGS,
  "date and time": DATES,
  enumerations: ENUMS,
  in: LISTS,
  "round, floor, ceiling": ROUNDING,
};

const read = (send: Send, set: string, options: Readonly<Record<string, string>>) =>
  send(url(`/odata/${set}`, { ...options, $select: "Id" }));

async function expectIds(door: Door, set: string, options: Readonly<Record<string, string>>, ids: readonly number[]) {
  const answer = await read(door.to(sampleService), set, options);
  const body = { "@odata.context": `${ORIGIN}/odata/$metadata#${set}(Id)`, value: ids.map((Id) => ({ Id })) };
  expectAnswer(answer, { body });
}

eachDoor((door) => {
  describe.each(Object.entries(SECTIONS))("$filter, %s", (_, cases) => {
    test.each(cases)("%s", async ($filter, ids) => {
      await expectIds(door, "Samples", { $filter }, ids);
    });
  });

  test.each(SAMPLE_SETS.slice(1))("every form of reading filters alike: %s", async (set) => {
    const send = door.to(sampleService);
    const cases = Object.values(SECTIONS).flat();
    const answers = await Promise.all(cases.map(([$filter]) => read(send, set, { $filter })));
    const actual = answers.map(({ status, json }, index) => [cases[index]![0], status === 200 ? idsOf(json) : json]);
    expect(actual).toEqual(cases);
  });

  describe("$filter, round with BankersRounding", () => {
    test.each(BANKERS)("%s", async ($filter, ids) => {
      await expectIds(door, "BankersSamples", { $filter }, ids);
    });
  });

  describe("$filter, and /$count of the matching entities", () => {
    test.each(PRECEDENCE.slice(0, 6))("%s", async ($filter, ids) => {
      const answer = await door.to(sampleService)(url("/odata/Samples/$count", { $filter }));
      expect([answer.status, answer.text]).toEqual([200, String(ids.length)]);
    });
  });

  describe("parameter aliases", () => {
    test.each<readonly [Readonly<Record<string, string>>, readonly number[]]>([
      [{ $filter: "Id eq @a", "@a": "1" }, [1]],
      [{ "@a": "1", $filter: "Id eq @a" }, [1]],
      [{ $filter: "Id eq @a or Id eq @b", "@a": "1", "@b": "3" }, [1, 3]],
      [{ $filter: "Id gt @a and Id lt @a add 2", "@a": "3" }, [4]],
      [{ $filter: "Text eq @t", "@t": "'O''Neil & Söhne'" }, [5]],
      [{ $filter: "contains(Text,@t)", "@t": "'ha'" }, [1, 2]],
      [{ $filter: "Id in (@a,3)", "@a": "1" }, [1, 3]],
      [{ $filter: "Color eq @c", "@c": "Kit.Color'Red'" }, [1, 4]],
      [{ $filter: "MaybeInt32 eq @n", "@n": "null" }, [2, 5]],
      // An alias without a value is null.
      [{ $filter: "MaybeInt32 eq @n" }, [2, 5]],
      [{ $filter: "DateTimeOffset eq @d", "@d": "2024-02-29T11:20:30+01:00" }, [1, 5]],
    ])("%j", async (options, ids) => {
      await expectIds(door, "Samples", options, ids);
    });
  });

  describe("400 InvalidQueryOption that names $filter and where it fails", () => {
    const FAULTS: ReadonlyArray<readonly [filter: string, message?: RegExp]> = [
      [""],
      ["Id", /Boolean/iu],
      ["'x'"],
      ["Id eq"],
      ["eq 1"],
      ["Id eq 1 and"],
      ["Id eq 1 or or Id eq 2"],
      ["(Id eq 1"],
      ["Id eq 1)"],
      ["()"],
      ["Id eq 1 Id eq 2"],
      ["Id eq 'unclosed"],
      ["Id EQ 1"],
      ["Id = 1"],
      ["Id == 1"],
      ["Id eq 1;"],
      ["Id eq #"],
      ["Id add eq 1"],
      ["Id eq 'x'"],
      ["Text eq 1"],
      ["Decimal lt 'x'"],
      ["Text eq 2024-01-15"],
      ["Boolean eq 1"],
      ["Boolean and Id"],
      ["(not Id) gt 5"],
      ["not Id add 5"],
      ["not Text gt 5"],
      ["not (Id add 1)"],
      ["Date eq '2024-02-30'"],
      ["Date eq '2024-02-29T00:00:00Z'"],
      ["DateTimeOffset eq '2024-02-29T10:20:30'"],
      ["TimeOfDay eq '24:00:00'"],
      ["DateTimeOffset sub '2024-02-29T10:20:30Z' gt duration'PT0S'"],
      ["year('2024-02-29') eq 2024"],
      ["contains(Access,'Read')"],
      ["contains(Text,Color'Red')"],
      ["Color eq tolower(Text)"],
      ["-Text eq 'a'"],
      ["Id add 'a' eq 1"],
      ["year(Text) eq 1"],
      ["Date eq 2024-02-30"],
      ["Date eq 2024-13-01"],
      ["DateTimeOffset eq 2024-02-29T25:00:00Z"],
      ["DateTimeOffset eq 2024-02-29T10:20:30"],
      ["TimeOfDay eq 24:00:00"],
      ["Guid eq 123"],
      ["Duration eq duration'P1Y'"],
      ["Duration eq 'PT1H'"],
      ["Binary eq binary'!'"],
      ["Color eq Kit.Color'Purple'"],
      ["Color eq Kit.Access'Read'"],
      ["Color eq Nope.Color'Red'"],
      ["Access has Kit.Color'Red'"],
      ["Id has Kit.Access'Read'"],
      ["Nope eq 1", /Nope/u],
      ["Tex eq 'a'", /Text/u],
      ["Home/Nope eq 1", /Nope/u],
      ["Home eq 1"],
      ["Text/Length eq 1"],
      ["Id/$count eq 1"],
      ["nofunction(Text)", /nofunction/u],
      ["contain(Text,'a')", /contains/u],
      ["contains(Text)"],
      ["contains(Text,'a','b')"],
      ["contains(Id,'a')"],
      ["contains(Text 'a')"],
      ["substring(Text,'a') eq 'x'"],
      ["Id in 1"],
      ["Id in (1,'a')"],
      ["Id in (1,"],
      ["Texts eq 'a'"],
      ["Homes/Street eq 'A 1'"],
      ["contains(Texts,'a')"],
      ["Renamed eq 'said'", /Renamed/u],
      ["1 div 0 eq 1", /zero/iu],
      ["Id div 0 eq 1", /zero/iu],
      ["Id mod 0 eq 1", /zero/iu],
      ["Decimal div 0.0 eq 1", /zero/iu],
      ["Decimal mod 0 eq 1", /zero/iu],
      ["Id eq @a:"],
      ["@ eq 1"],
      ["$it eq 1"],
      ["Id eq 1 // comment"],
    ];

    test.each(FAULTS.map(([$filter, message]) => ({ $filter, message })))("$$filter", async ({ $filter, message }) => {
      const answer = await read(door.to(sampleService), "Samples", { $filter });
      expectInvalidOption(answer, "$filter", message);
    });

    test.each([
      ["Id eq 1 andd Id eq 2", 8],
      ["Id eq 'unclosed", 6],
      ["Id eq 1)", 7],
      ["Id eq 1 and Nope eq 2", 12],
      ["Id eq 1 and Text eq 2", 17],
      ["contains(Text 'a')", 14],
    ])("a message has the position, counted from zero or one: %s at %i", async ($filter, position) => {
      const answer = await read(door.to(sampleService), "Samples", { $filter });
      expectInvalidOption(answer, "$filter", new RegExp(`\\b(?:${String(position)}|${String(position + 1)})\\b`, "u"));
    });
  });

  test("an ignored property gets the same response as a missing one", async () => {
    const send = door.to(sampleService);
    const messages = ["Secret", "Secrex", "secret", "Home/AlarmCode", "Home/AlarmCodx"].map(async (name) => {
      const answer = await read(send, "Samples", { $filter: `${name} eq 'a'` });
      expectInvalidOption(answer, "$filter");
      return String(answer.json.error.message).replaceAll(name.split("/").at(-1)!, "…");
    });
    const [secret, unknown, lower, nested, nestedUnknown] = await Promise.all(messages);
    expect(secret).toBe(unknown);
    expect(lower).toBe(unknown);
    expect(nested).toBe(nestedUnknown);
  });
});
