/**
 * The kinds of group kai.alibabacloud.com as users write them and as the API server stores them.
 *
 * <p>Every record here is a wire type: a field that is absent in JSON is null in Java, and nowhere
 * else in Muster. Spec fields are boxed and words are plain strings, because objects that were
 * stored before Muster came hold whatever was accepted then. Whatever the API server has let in can
 * be read; what is wrong with it is said by {@link
 * io.muster.controller.kinds.etoperator.api.EtOperatorValidation}.
 */
package io.muster.controller.kinds.etoperator.api;
