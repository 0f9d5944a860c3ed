/**
 * What both generations of DIJob share: names, addresses, members, state and the parts of a pod.
 */
package io.muster.controller.kinds.di.job;
