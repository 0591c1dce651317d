import parser from "@typescript-eslint/parser";

export default [
  { ignores: ["**/node_modules/**", "src/vendor/**"] },
  {
    files: ["**/*.ts"],
    languageOptions: { parser },
    rules: {
      "no-var": "error",
      "prefer-const": "error",
      "object-shorthand": "error",
      "prefer-template": "error",
      curly: "error",
      "no-console": "warn",
    },
  },
];
