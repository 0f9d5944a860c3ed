/** Pods of a job: what they are made of, and how they end. */
package io.muster.controller.kube.pod;
