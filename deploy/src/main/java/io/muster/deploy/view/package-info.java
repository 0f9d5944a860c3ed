/** {@code muster snapshot}, {@code fit} and {@code explain}: what Muster sees, and what follows. */
package io.muster.deploy.view;
