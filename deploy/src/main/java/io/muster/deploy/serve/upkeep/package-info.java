/** What the leader keeps in the cluster beside its decisions. */
package io.muster.deploy.serve.upkeep;
