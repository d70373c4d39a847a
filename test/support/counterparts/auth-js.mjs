// The package's types include the browser's, which server code must not see; auth-js.d.mts declares what the tests use.
export { Auth } from "@auth/core";
