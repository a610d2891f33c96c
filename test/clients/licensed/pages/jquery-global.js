import jQuery from "jquery";

// Kendo expects it before its own modules are evaluated.
globalThis.$ = jQuery;
globalThis.jQuery = jQuery;
