/** How the members of a gang learn who they are and where to meet. */
package io.muster.webhook.core.rendezvous;
