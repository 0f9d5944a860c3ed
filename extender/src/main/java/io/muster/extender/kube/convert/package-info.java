/**
 * What the objects of the API say, in the words of the core: pods, requests, constraints, queues.
 */
package io.muster.extender.kube.convert;
