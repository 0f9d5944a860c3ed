/** What a pod gets before it is stored. */
package io.muster.webhook;
