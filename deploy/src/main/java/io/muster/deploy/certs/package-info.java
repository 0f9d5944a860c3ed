/** {@code muster certs}: certificates at a glance, and what an operator may ask of them. */
package io.muster.deploy.certs;
