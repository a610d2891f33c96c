import { type Attack, many } from "./attack.ts";

const MEGABYTES_29 = 29_000_000;
const MEGABYTE = 1_000_000;
const VALUES = 99_000;

/** Makes a text of about so many bytes from a part. */
type Repeat = (part: string) => string;

const repeatTo =
  (bytes: number): Repeat =>
  (part) =>
    part.repeat(bytes / new TextEncoder().encode(part).length);
const long = repeatTo(MEGABYTES_29);

/** The sizes of bodies: one has the budget of short ones. */
const SIZES = [
  ["29 MB", MEGABYTES_29],
  ["1 MB", MEGABYTE],
] as const;

interface LongValue {
  readonly member: string;
  readonly of: string;
  readonly value: (long: Repeat) => string;
}

const LONG_VALUES: readonly LongValue[] = [
  { member: "Text", of: "quotes", value: (long) => long(String.raw`\"`) },
  { member: "Text", of: "lone surrogates", value: (long) => long(String.raw`\ud800`) },
  { member: "Text", of: "control characters", value: (long) => long(String.raw`\u0001`) },
  { member: "Text", of: "umlauts", value: (long) => long("ä") },
  { member: "Text", of: "ideographs", value: (long) => long("漢") },
  { member: "Text", of: "letters and an ideograph", value: (long) => `${long("x").slice(3)}漢` },
  { member: "Text", of: "words and quotes", value: (long) => long(String.raw`word \" `) },
  { member: "Short", of: "too many characters", value: (long) => long("😀x") },
  { member: "Short", of: "letters, ended by emoji", value: (long) => `${long("ä")}😀` },
  { member: "Bytes", of: "octets of base64", value: (long) => long("+/+/") },
  { member: "Bytes", of: "octets and an invalid digit", value: (long) => `${long("AAAA")}AA*A` },
  { member: "Duration", of: "digits", value: (long) => `P${long("1")}D` },
  { member: "Guid", of: "digits", value: (long) => long("1") },
  { member: "Date", of: "digits", value: (long) => long("1") },
  { member: "Instant", of: "digits", value: (long) => `2024-02-29T10:00:00.${long("1")}Z` },
  { member: "Time", of: "digits", value: (long) => `10:00:00.${long("1")}` },
  { member: "Big", of: "digits", value: (long) => long("1") },
  { member: "Price", of: "digits", value: (long) => `1.${long("0")}` },
  { member: "Double", of: "digits", value: (long) => long("1") },
  { member: "Access", of: "flags", value: (long) => long("Read,") + "Read" },
  { member: "Place", of: "a text for an object", value: (long) => long("x") },
];

const REPRESENTATION = { Prefer: "return=representation", "Content-Type": "application/json;IEEE754Compatible=true" };

/** Attacks by one long value, or by as many values as a body may have. */
export const BODY_ATTACKS: readonly Attack[] = [
  ...SIZES.flatMap(([size, bytes]) =>
    LONG_VALUES.map(({ member, of, value }): Attack => {
      return {
        name: `${size} for ${member}: ${of}`,
        method: "POST",
        target: "/Things",
        headers: REPRESENTATION,
        body: () => `{"Id":1,"Places":[],"Prices":[],"Octets":[],"${member}":"${value(repeatTo(bytes))}"}`,
      };
    }),
  ),
  { ...collection("Prices", (index) => String(index)), name: "99,000 decimals" },
  { ...collection("Octets", () => `"${"AAAA".repeat(60)}"`), name: "99,000 octets" },
  {
    ...collection("Places", (index) => `{"Name":"n${String(index)}","Tags":["a","b","c"]}`, VALUES / 6),
    name: "16,500 complex values",
  },
  {
    ...collection("Places", () => `{"Name":"n","Tags":[${many(490, () => '"a"', ",")}]}`, 200),
    name: "200 of 490 tags",
  },
  {
    ...collection("Places", () => `{"Name":"n","Tags":["${"\\n".repeat(70_000)}"]}`, 200),
    name: "200 texts of 70,000 line breaks",
  },
  { ...collection("Prices", (index) => (index === VALUES - 1 ? "true" : "1")), name: "99,000 decimals, one wrong" },
  {
    name: "99,000 unknown members",
    method: "POST",
    target: "/Things",
    body: () => `{${many(VALUES, (index) => `"Txet${String(index)}":1`, ",")}}`,
  },
  {
    name: "1 MB of unknown members",
    method: "POST",
    target: "/Things",
    body: () => `{${many(70_000, (index) => `"Txet${String(index)}":1`, ",")}}`,
  },
  {
    name: "99,000 annotations",
    method: "POST",
    target: "/Things",
    body: () =>
      `{"Id":1,"Places":[],"Prices":[],"Octets":[],${many(VALUES - 10, (index) => `"@a.b${String(index)}":1`, ",")}}`,
  },
  {
    name: "an ignored value of 99,000 objects",
    method: "POST",
    target: "/Things",
    body: () => `{"Id":1,"Places":[],"Prices":[],"Octets":[],"@a.b":[${many(VALUES / 2, () => '{"c":1}', ",")}]}`,
  },
  { name: "1,000,000 commas", method: "POST", target: "/Things", body: () => `[${",".repeat(1_000_000)}]` },
  {
    name: "1,000,000 empty texts",
    method: "POST",
    target: "/Things",
    body: () => `{"Octets":[${many(1_000_000, () => '""', ",")}]}`,
  },
  {
    name: "PATCH of 29 MB",
    method: "PATCH",
    target: "/Things(1)",
    headers: REPRESENTATION,
    body: () => `{"Text":"${long(String.raw`\n`)}"}`,
  },
  {
    name: "PATCH with 10,000 tags in If-Match",
    method: "PATCH",
    target: "/Things(1)",
    refusal: "412 PreconditionFailed",
    headers: { "If-Match": many(10_000, (index) => `W/"${String(index)}"`, ",") },
    body: () => '{"Text":"x"}',
  },
  {
    name: "an action with 99,000 tags",
    method: "POST",
    target: "/label",
    status: 200,
    body: () => `{"tags":[${many(VALUES, () => '"tag"', ",")}]}`,
  },
  {
    name: "an action with 29 MB of tags",
    method: "POST",
    target: "/label",
    status: 200,
    body: () => `{"tags":[${many(290, () => `"${"\\n".repeat(50_000)}"`, ",")}]}`,
  },
  {
    name: "SQLite stores 29 MB",
    method: "POST",
    target: "/Cities",
    headers: REPRESENTATION,
    body: () => `{"Id":99999,"CountryId":1,"Population":1,"Name":"${long("ä")}"}`,
  },
  {
    name: "SQLite stores 1 MB",
    method: "POST",
    target: "/Cities",
    headers: REPRESENTATION,
    body: () => `{"Id":99997,"CountryId":1,"Population":1,"Name":"${repeatTo(MEGABYTE)("ä")}"}`,
  },
  {
    // Each letter takes two bytes, since one character does.
    name: "SQLite stores 29 MB of letters and an ideograph",
    method: "POST",
    target: "/Cities",
    headers: REPRESENTATION,
    body: () => `{"Id":99998,"CountryId":1,"Population":1,"Name":"${long("x").slice(3)}漢"}`,
  },
  {
    name: "SQLite stores a deep insert of 29 MB",
    method: "POST",
    target: "/Countries",
    headers: REPRESENTATION,
    body: () => `{"Id":9999,"Name":"deep","Cities":[${many(2, (index) => city(89_990 + index, "ä"), ",")}]}`,
  },
  { name: "SQLite reads 29 MB", target: "/Cities(99999)", longest: MEGABYTES_29 },
  { name: "SQLite reads 29 MB in a page", target: "/Cities?$filter=Id ge 99990", longest: MEGABYTES_29 },
  {
    name: "SQLite compares 29 MB",
    target: "/Cities?$filter=contains(Name,'ö')&$orderby=Name desc&$top=2",
    longest: MEGABYTES_29,
  },
];

/** Makes a city whose name is half of 29 MB. */
function city(id: number, part: string): string {
  const name = part.repeat(MEGABYTES_29 / 2 / new TextEncoder().encode(part).length);
  return `{"Id":${String(id)},"Population":1,"Name":"${name}"}`;
}

function collection(member: string, item: (index: number) => string, count: number = VALUES): Omit<Attack, "name"> {
  const others = ["Places", "Prices", "Octets"].filter((name) => name !== member).map((name) => `"${name}":[]`);
  return {
    method: "POST",
    target: "/Things",
    headers: { Prefer: "return=representation" },
    body: () => `{"Id":1,${others.join(",")},"${member}":[${many(count, item, ",")}]}`,
  };
}
