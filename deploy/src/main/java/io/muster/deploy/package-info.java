/** Puts the roles into one program. */
package io.muster.deploy;
