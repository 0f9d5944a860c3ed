/**
 * What this version of Muster needs in a cluster, as the program carries it, and whether what is
 * stored there fits it.
 */
package io.muster.deploy.install;
