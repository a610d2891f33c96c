import { Kysely } from "kysely";
import { odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { parseExpression } from "../../src/language/syntax/expression-parser.ts";
import { tokenize } from "../../src/language/syntax/lexer.ts";
import { DEFAULT_SYNTAX_LIMITS, type ParseContext } from "../../src/language/syntax/parse-context.ts";
import { Order } from "../model.ts";
import { cpuOf, type Figure, toFigure } from "./figures.ts";

/** Filters as clients write them, the last one very long. */
const FILTERS: ReadonlyArray<readonly [name: string, filter: string]> = [
  ["e1", "Id eq 1"],
  ["e2", "Name eq 'Milk' and Price gt 2.5"],
  ["e3", "contains(Name,'ea') or startswith(Name,'Ch')"],
  ["e4", "(Price gt 10 and Price lt 20) or not (Stock eq 0)"],
  ["e5", "year(OrderDate) eq 2024 and month(OrderDate) ge 6"],
  ["e6", "Status in ('Paid','Shipped') and ShippedDate ne null"],
  ["e7", "Customer/City eq 'Berlin' and Customer/Region ne null"],
  ["e8", "Lines/any(line:line/Quantity gt 10 and line/Product/Price lt 5)"],
  ["e9", "OrderDate ge 2024-02-29T12:00:00Z and tolower(trim(ShipName)) eq 'ana' and Freight mul 2 add 1 gt 10"],
  [
    "e10",
    Array.from({ length: 10 }, (_none, index) => `(Id eq ${String(index)} and Name ne 'x${String(index)}')`).join(
      " or ",
    ),
  ],
];

const ROWS = 1000;

/** Measures the parser and the writers alone. */
export async function measureMicro(file: string): Promise<readonly Figure[]> {
  return [...(await parserFigures()), ...(await writerFigures(file))];
}

async function parserFigures(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, filter] of FILTERS) {
    const tokens = tokenize(filter, contextOf(), "$filter").tokens.length;
    const cost = await cpuOf(() => {
      const context = contextOf();
      return parseExpression(tokenize(filter, context, "$filter"), context);
    });
    const title = filter.length > 60 ? `${filter.slice(0, 40)} …` : filter;
    figures.push(toFigure(`parse ${name}`, cost, { filter: title, tokens, budget: name === "e10" ? 15 : 5 }));
  }
  return figures;
}

function contextOf(): ParseContext {
  return { limits: DEFAULT_SYNTAX_LIMITS, literals: [], aliases: new Map(), counters: { tokens: 0, nodes: 0 } };
}

async function writerFigures(file: string): Promise<readonly Figure[]> {
  const db = new Kysely({ dialect: sqliteDialect(file) });
  const table = { db, table: "orders", operations: ["read"] } as const;
  const service = odataService({
    schemaCheck: false,
    // An ETag has to be computed from the row, so the database cannot write the JSON.
    entitySets: [sqlEntitySet(Order, table), sqlEntitySet(Order, { ...table, name: "Rows", etag: ["status"] })],
  });
  const page = (set: string) => async (): Promise<void> => {
    const response = await service.fetch(new Request(`http://bench.example/${set}?$top=${String(ROWS)}`));
    await response.arrayBuffer();
  };
  const json = await cpuOf(page("Orders"));
  const rows = await cpuOf(page("Rows"));
  await db.destroy();
  return [
    toFigure("row of 12 columns, written by SQLite", json / ROWS),
    toFigure("row of 12 columns and its ETag, written by odatakit", rows / ROWS),
  ];
}
