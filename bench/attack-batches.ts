import { type Attack, many } from "./attack.ts";

const MEGABYTES_29 = 29_000_000;
const MULTIPART = { "Content-Type": "multipart/mixed; boundary=b" };

/** Attacks by batches. */
export const BATCH_ATTACKS: readonly Attack[] = [
  multipart("one part of 29 MB", () => post("/Notes", `{"Id":1,"Tags":[],"Text":"${"x".repeat(MEGABYTES_29)}"}`)),
  multipart("one part of 29 MB, line breaks", () =>
    post("/Notes", `{"Id":1,"Tags":[],"Text":"${String.raw`\n`.repeat(MEGABYTES_29 / 2)}"}`),
  ),
  multipart("1,000 parts of 29 KB", () =>
    many(1000, () => post("/Notes", `{"Id":1,"Tags":[],"Text":"${"x".repeat(29_000)}"}`), ""),
  ),
  multipart("1,000 reads", () => many(1000, (index) => part(`GET /Cities(${String(index + 1)}) HTTP/1.1\r\n\r\n`), "")),
  multipart("1,000 pages", () => many(1000, () => part("GET /Notes?$top=1000 HTTP/1.1\r\n\r\n"), "")),
  multipart("deep JSON in 100 parts", () => many(100, () => post("/Notes", "[".repeat(250_000)), "")),
  multipart("2,001 parts", () => many(2001, () => part("GET /Cities(1) HTTP/1.1\r\n\r\n"), ""), "413 PayloadTooLarge"),
  multipart("lines that are almost a boundary", () =>
    part(`GET / HTTP/1.1\r\n\r\n${"\r\n--a".repeat(MEGABYTES_29 / 5)}`),
  ),
  multipart("line breaks", () => part(`GET / HTTP/1.1\r\n\r\n${"\r\n".repeat(MEGABYTES_29 / 2)}`)),
  multipart("a header of 29 MB", () => part(`GET / HTTP/1.1\r\nA: ${"x".repeat(MEGABYTES_29)}\r\n\r\n`)),
  multipart("1,000,000 headers", () => part(`GET / HTTP/1.1\r\n${"A: x\r\n".repeat(1_000_000)}\r\n`)),
  multipart(
    "1,000,000 headers of a part",
    () => `--b\r\n${"A: x\r\n".repeat(1_000_000)}\r\nGET / HTTP/1.1\r\n\r\n\r\n`,
  ),
  multipart("a URL of 29 MB", () => part(`GET /${"a".repeat(MEGABYTES_29)} HTTP/1.1\r\n\r\n`)),
  multipart("a preamble of 29 MB", () => `${"x\r\n".repeat(MEGABYTES_29 / 3)}${part("GET / HTTP/1.1\r\n\r\n")}`),
  multipart("a change set of 1,000 parts", () => {
    const parts = many(
      1000,
      (index) => `--c\r\n${operation(String(index), "POST /Notes")}{"Id":1,"Text":"","Tags":[]}\r\n`,
      "",
    );
    return `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${parts}--c--\r\n`;
  }),
  multipart("SQLite stores a change set of 29 MB", () => {
    const city = (id: number): string =>
      `{"Id":${String(id)},"CountryId":1,"Population":1,"Name":"${"ä".repeat(MEGABYTES_29 / 4)}"}`;
    const parts = many(
      2,
      (index) => `--c\r\n${operation(String(index), "POST /Cities")}${city(89_980 + index)}\r\n`,
      "",
    );
    return `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${parts}--c--\r\n`;
  }),
  multipart("a delimiter with 29 MB of blanks", () =>
    part("GET /Cities(1) HTTP/1.1\r\n\r\n").replace("--b", `--b${" ".repeat(MEGABYTES_29)}`),
  ),
  multipart("29 MB of delimiters that are none", () =>
    part(`GET / HTTP/1.1\r\n\r\n${"\r\n--b x".repeat(MEGABYTES_29 / 7)}`),
  ),
  json("a JSON batch of 29 MB of umlauts", () => [`{"Id":1,"Tags":[],"Text":"${"ä".repeat(MEGABYTES_29 / 2)}"}`]),
  json("a JSON batch with 90,000 unknown members", () => [
    `{${many(90_000, (index) => `"Txet${String(index)}":1`, ",")}}`,
  ]),
  json("a JSON batch with a key of 29 MB of escapes", () => [`{"${String.raw`\u0061`.repeat(MEGABYTES_29 / 6)}":1}`]),
  json("a JSON batch of 29 MB", () => [`{"Id":1,"Tags":[],"Text":"${String.raw`\n`.repeat(MEGABYTES_29 / 2)}"}`]),
  json("a JSON batch of 1,000 bodies", () =>
    Array.from({ length: 1000 }, () => `{"Id":1,"Tags":["a"],"Text":"${"x".repeat(29_000)}"}`),
  ),
  {
    ...json("SQLite stores a JSON group of 29 MB", () => []),
    body: () => {
      const request = (id: number): string =>
        `{"id":"${String(id)}","atomicityGroup":"g","method":"POST","url":"Cities","body":{"Id":${String(id)},"CountryId":1,"Population":1,"Name":"${"漢".repeat(MEGABYTES_29 / 6)}"}}`;
      return `{"requests":[${many(2, (index) => request(89_970 + index), ",")}]}`;
    },
  },
  json("a JSON batch with 90,000 values", () => [`{"Id":1,"Text":"","Tags":[${many(90_000, () => '"a"', ",")}]}`]),
];

function multipart(name: string, parts: () => string, refusal?: string): Attack {
  const body = (): string => `${parts()}--b--\r\n`;
  return { name: `$batch: ${name}`, method: "POST", target: "/$batch", headers: MULTIPART, body, status: 200, refusal };
}

function json(name: string, bodies: () => readonly string[]): Attack {
  const request = (body: string, index: number): string =>
    `{"id":"${String(index)}","method":"POST","url":"Notes","headers":{"content-type":"application/json"},"body":${body}}`;
  return {
    name: `$batch: ${name}`,
    method: "POST",
    target: "/$batch",
    status: 200,
    body: () => `{"requests":[${bodies().map(request).join(",")}]}`,
  };
}

function part(request: string): string {
  return `--b\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n${request}\r\n`;
}

function post(path: string, body: string): string {
  return part(`POST ${path} HTTP/1.1\r\nContent-Type: application/json\r\n\r\n${body}`);
}

function operation(id: string, line: string): string {
  return `Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: ${id}\r\n\r\n${line} HTTP/1.1\r\nContent-Type: application/json\r\n\r\n`;
}
