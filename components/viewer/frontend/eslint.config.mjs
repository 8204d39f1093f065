/** What tsc does not say: unused names, loose comparisons, bindings that never change. */

import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  { files: ["src/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["src/digest_worker.js"], languageOptions: { globals: globals.worker } },
  { files: ["*.mjs"], languageOptions: { globals: globals.node } },
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-implicit-coercion": ["error", { allow: ["+"] }],
      "no-shadow": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
    },
  },
];
