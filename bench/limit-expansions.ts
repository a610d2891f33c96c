import type { DatabaseSync } from "node:sqlite";
import { expansionOf, type LimitRow } from "./limit-http.ts";
import { ORDER_COLUMNS, withBooleans } from "./limit-rows.ts";

/**
 * Reads orders with their related entities, as most programmers would write it: a prepared statement for the orders, and
 * for each of them one for its customer, one for its lines, and for each line one for its product.
 */
export function makeExpansions(database: DatabaseSync): (root: string, query: ReadonlyMap<string, string>) => string {
  const orders = database.prepare(`SELECT ${ORDER_COLUMNS} FROM orders ORDER BY id LIMIT ? OFFSET ?`);
  const customer = database.prepare(
    "SELECT id AS Id, name AS Name, city AS City, region AS Region, email AS Email FROM customers WHERE id = ?",
  );
  const lines = database.prepare(
    `SELECT id AS Id, orderId AS OrderId, productId AS ProductId, quantity AS Quantity, price AS Price
      FROM lines WHERE orderId = ? ORDER BY id`,
  );
  const product = database.prepare(
    `SELECT id AS Id, name AS Name, categoryId AS CategoryId, price AS Price, stock AS Stock,
      discontinued AS Discontinued FROM products WHERE id = ?`,
  );
  const fewOrders = database.prepare(
    "SELECT id AS Id, orderDate AS OrderDate, freight AS Freight, customerId FROM orders ORDER BY id LIMIT ? OFFSET ?",
  );
  const fewCustomer = database.prepare("SELECT id AS Id, name AS Name FROM customers WHERE id = ?");
  const fewLines = database.prepare(
    `SELECT id, quantity AS Quantity, price AS Price, productId
      FROM lines WHERE orderId = ? ORDER BY price DESC, id DESC LIMIT 2`,
  );
  const fewProduct = database.prepare("SELECT name AS Name FROM products WHERE id = ?");

  const whole = (top: number, skip: number): readonly LimitRow[] => {
    const value: LimitRow[] = orders.all(top, skip);
    for (const order of value) {
      order["Paid"] = order["Paid"] === 1;
      order["Customer"] = customer.get(Number(order["CustomerId"])) ?? null;
      const related: LimitRow[] = lines.all(Number(order["Id"]));
      for (const line of related) {
        line["Product"] = withBooleans(product.get(Number(line["ProductId"])), "Discontinued");
      }
      order["Lines"] = related;
    }
    return value;
  };
  const selected = (root: string, top: number, skip: number): readonly LimitRow[] =>
    fewOrders.all(top, skip).map(({ Id, OrderDate, Freight, customerId }) => ({
      Id,
      OrderDate,
      Freight,
      Customer: fewCustomer.get(Number(customerId)) ?? null,
      Lines: fewLines.all(Number(Id)).map(({ id, Quantity, Price, productId }) => ({
        "@odata.id": `${root}/Lines(${String(id)})`,
        Quantity,
        Price,
        Product: { "@odata.id": `${root}/Products(${String(productId)})`, ...fewProduct.get(Number(productId)) },
      })),
    }));

  return (root, query) => {
    const { top, skip, isSelected, context } = expansionOf(root, query);
    const value = isSelected ? selected(root, top, skip) : whole(top, skip);
    return JSON.stringify({ "@odata.context": context, value });
  };
}
