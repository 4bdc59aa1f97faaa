// Sign in, then load the page that asked for it.
"use strict";

SignIn.ask(() => location.reload());
