// What `npm run vendor` bundles into diff3.js.
export { diffIndices } from "node-diff3";
