// What `npm run vendor` puts into vocabularies.js.
export { default as documents } from "@sap-ux/odata-vocabularies/dist/resources/index.js";
