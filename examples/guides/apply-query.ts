import { DatabaseSync } from "node:sqlite";
import { edm, entitySet, entityType, odataError, odataService, type Expression } from "odatakit";

const Book = entityType("Book", { id: edm.int32().key(), year: edm.int32() });
const database = new DatabaseSync(":memory:");
database.exec(
  `CREATE TABLE books (id INTEGER PRIMARY KEY, year INTEGER); INSERT INTO books VALUES (1, 1815), (2, 1897)`,
);

const OPERATORS = { eq: "IS", ne: "IS NOT", gt: ">", ge: ">=", lt: "<", le: "<=" } as const;

/** The SQL of an expression; its values go to `values`. */
function toSql(expression: Expression, values: string[]): string {
  switch (expression.kind) {
    case "property":
      return expression.property.field;
    case "null":
      return "NULL";
    case "literal":
      values.push(String(expression.value));
      return "CAST(? AS INTEGER)";
    case "comparison":
      return `${toSql(expression.left, values)} ${OPERATORS[expression.operator]} ${toSql(expression.right, values)}`;
    case "logical":
      return `(${expression.operands.map((operand) => toSql(operand, values)).join(` ${expression.operator} `)})`;
    default:
      throw odataError(400, "UnsupportedExpression", "Books takes comparisons with and/or only.", {
        target: "$filter",
      });
  }
}

const books = entitySet(Book, {
  orderByEnabled: false,
  applyQuery: ({ filter, skip, top, pageSize, count }) => {
    const values: string[] = [];
    const where = filter === null ? "1" : toSql(filter.expression, values);
    const limit = pageSize === null ? (top ?? -1) : pageSize + 1;
    const rows = database.prepare(`SELECT * FROM books WHERE ${where} ORDER BY id LIMIT ? OFFSET ?`);
    const total = database.prepare(`SELECT COUNT(*) AS total FROM books WHERE ${where}`);
    return {
      items: rows.all(...values, limit, skip).map(({ id, year }) => ({ id: Number(id), year: Number(year) })),
      count: count ? Number(total.get(...values)?.["total"]) : undefined,
    };
  },
});

const library = odataService({ entitySets: [books] });
console.log(await (await library.fetch(new Request("http://books.example/Books?$filter=Year gt 1850"))).text());
