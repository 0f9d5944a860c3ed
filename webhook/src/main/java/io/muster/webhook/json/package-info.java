/** Pods, patches and profiles as JSON and YAML. */
package io.muster.webhook.json;
