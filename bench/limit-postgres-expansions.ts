import { expansionOf, type LimitRow } from "./limit-http.ts";
import { POSTGRES_ORDER_COLUMNS, type RunQuery } from "./limit-postgres-rows.ts";

const ORDERS = {
  name: "whole-orders",
  text: `SELECT ${POSTGRES_ORDER_COLUMNS} FROM orders ORDER BY id LIMIT $1 OFFSET $2`,
};
const CUSTOMERS = {
  name: "customers",
  text: `SELECT id AS "Id", name AS "Name", city AS "City", region AS "Region", email AS "Email"
    FROM customers WHERE id = ANY ($1)`,
};
const LINES = {
  name: "lines",
  text: `SELECT id AS "Id", "orderId" AS "OrderId", "productId" AS "ProductId", quantity AS "Quantity", price AS "Price"
    FROM lines WHERE "orderId" = ANY ($1) ORDER BY id`,
};
const PRODUCTS = {
  name: "whole-products",
  text: `SELECT id AS "Id", name AS "Name", "categoryId" AS "CategoryId", price AS "Price", stock AS "Stock",
    discontinued AS "Discontinued" FROM products WHERE id = ANY ($1)`,
};
const FEW_ORDERS = {
  name: "few-orders",
  text: `SELECT id AS "Id", "orderDate" AS "OrderDate", freight AS "Freight", "customerId" AS customer
    FROM orders ORDER BY id LIMIT $1 OFFSET $2`,
};
const FEW_CUSTOMERS = {
  name: "few-customers",
  text: `SELECT id AS "Id", name AS "Name" FROM customers WHERE id = ANY ($1)`,
};
const FEW_LINES = {
  name: "few-lines",
  text: `SELECT line.id, line.parent, line.product, line."Quantity", line."Price" FROM unnest($1::int[]) AS wanted (id),
    LATERAL (SELECT "orderId" AS parent, "productId" AS product, quantity AS "Quantity", price AS "Price", id FROM lines
      WHERE "orderId" = wanted.id ORDER BY price DESC, id DESC LIMIT 2) AS line
    ORDER BY line.parent, line."Price" DESC, line.id DESC`,
};
const FEW_PRODUCTS = { name: "few-products", text: `SELECT id, name AS "Name" FROM products WHERE id = ANY ($1)` };

/** Reads orders with their related entities: one statement for each level, for all parents. */
export function makePostgresExpansions(
  query: RunQuery,
): (root: string, options: ReadonlyMap<string, string>) => Promise<string> {
  const whole = async (top: number, skip: number): Promise<readonly LimitRow[]> => {
    const orders = await query(ORDERS, [top, skip]);
    const [customers, lines] = await Promise.all([
      query(CUSTOMERS, [valuesOf(orders, "CustomerId")]),
      query(LINES, [valuesOf(orders, "Id")]),
    ]);
    const products = byKey(await query(PRODUCTS, [valuesOf(lines, "ProductId")]), "Id");
    for (const line of lines) line["Product"] = products.get(line["ProductId"]) ?? null;
    const customerOf = byKey(customers, "Id");
    const linesOf = groupBy(lines, "OrderId");
    for (const order of orders) {
      order["Customer"] = customerOf.get(order["CustomerId"]) ?? null;
      order["Lines"] = linesOf.get(order["Id"]) ?? [];
    }
    return orders;
  };
  const selected = async (root: string, top: number, skip: number): Promise<readonly LimitRow[]> => {
    const orders = await query(FEW_ORDERS, [top, skip]);
    const [customers, lines] = await Promise.all([
      query(FEW_CUSTOMERS, [valuesOf(orders, "customer")]),
      query(FEW_LINES, [valuesOf(orders, "Id")]),
    ]);
    const products = byKey(await query(FEW_PRODUCTS, [valuesOf(lines, "product")]), "id");
    const customerOf = byKey(customers, "Id");
    const linesOf = groupBy(lines, "parent");
    return orders.map(({ Id, OrderDate, Freight, customer }) => ({
      Id,
      OrderDate,
      Freight,
      Customer: customerOf.get(customer) ?? null,
      Lines: (linesOf.get(Id) ?? []).map(({ id, Quantity, Price, product }) => ({
        "@odata.id": `${root}/Lines(${String(id)})`,
        Quantity,
        Price,
        Product: { "@odata.id": `${root}/Products(${String(product)})`, Name: products.get(product)?.["Name"] },
      })),
    }));
  };

  return async (root, options) => {
    const { top, skip, isSelected, context } = expansionOf(root, options);
    const value = await (isSelected ? selected(root, top, skip) : whole(top, skip));
    return JSON.stringify({ "@odata.context": context, value });
  };
}

function valuesOf(rows: readonly LimitRow[], column: string): readonly unknown[] {
  return [...new Set(rows.map((row) => row[column]))];
}

function groupBy(rows: readonly LimitRow[], column: string): ReadonlyMap<unknown, readonly LimitRow[]> {
  const groups = new Map<unknown, LimitRow[]>();
  for (const row of rows) {
    const group = groups.get(row[column]);
    if (group === undefined) groups.set(row[column], [row]);
    else group.push(row);
  }
  return groups;
}

function byKey(rows: readonly LimitRow[], column: string): ReadonlyMap<unknown, LimitRow> {
  return new Map(rows.map((row) => [row[column], row]));
}
