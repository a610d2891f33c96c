import { open, title } from "../ui5.js";

/** Shows a list that grows, in batches. */
export async function show() {
  await open("$auto", ["Product", "Category", "Price"]);
  title("Products");
}
