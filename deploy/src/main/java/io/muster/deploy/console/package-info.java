/** What commands have in common: where their answers go, in which form, and how they fail. */
package io.muster.deploy.console;
