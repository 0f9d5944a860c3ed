/** What this version of Muster needs in a cluster, as the program carries it. */
package io.muster.deploy.install;
