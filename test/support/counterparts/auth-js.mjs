// Its types bring the browser's along, which server code must not see; auth-js.d.mts declares what the tests use.
export { Auth } from "@auth/core";
