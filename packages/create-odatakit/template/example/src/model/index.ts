import { customers } from "./customer.ts";
import { orders } from "./order.ts";
import { products } from "./product.ts";

/** All entity sets of the service. */
export const entitySets = [customers, orders, products];
